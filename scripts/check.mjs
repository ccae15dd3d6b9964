/**
 * `npm run check`: everything about the sources that can be said without running them. Prints one line for each check,
 * what is wrong below it, and the sum as its last line.
 */
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { leftovers } from "./check/leftovers.mjs";
import { copies } from "./check/single-copies.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

/**
 * Folders with a tsconfig.json, or such a file. shared/ and code-rag/'s engine (`code-rag`) compile without the names
 * of any runtime, which is what keeps them neutral.
 */
const PROJECTS = [
  ...["shared", "worker", "scripts", "test", "test/node", "test/browser", "test/bridge"],
  ...["bench", "bench/read/worker", "bench/oauth/worker", "bench/stream/worker"],
  ...["code-rag", "code-rag/tsconfig.node.json", "code-rag/bench", "code-rag/test"],
  ...["local-mcp", "mcp-server"],
];

/** The packages whose dependencies end up in what is deployed or installed. */
const SHIPPED = ["shared", "worker", "code-rag", "local-mcp"];

/** Two copies of these in one process don't recognise each other's objects. */
const SDKS = ["@modelcontextprotocol/sdk", "@modelcontextprotocol/server", "@modelcontextprotocol/client"];

/** Runs a package's command with our own Node; what it says is the problem when it fails. */
function tool(name, bin, args) {
  const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`);
  const run = spawnSync(process.execPath, [join(dirname(manifest), bin), ...args], { cwd: root, encoding: "utf8" });
  return run.status === 0 ? [] : [`${run.stdout}${run.stderr}`.trim() || String(run.error)];
}

const types = (options) => [
  ...["types", "worker/worker-configuration.d.ts", "--strict-vars=false", "--env-file", ".dev.vars.example"],
  ...options,
];

/** @type {[string, () => string[]][]} */
const checks = [
  ...PROJECTS.map(
    (project) =>
      /** @type {[string, () => string[]]} */ ([
        `types of ${project}`,
        () => tool("typescript", "bin/tsc", ["-p", project]),
      ]),
  ),
  ["lint, format and import rules", () => tool("@biomejs/biome", "bin/biome", ["check", "--error-on-warnings", "."])],
  ["worker-configuration.d.ts is up to date", () => tool("wrangler", "bin/wrangler.js", types(["--check"]))],
  // Development tools may bring a zod of their own; what is deployed has one.
  ["one copy of each SDK", () => [...copies(root, ["", ...SHIPPED], SDKS), ...copies(root, SHIPPED, ["zod"])]],
  ["nothing of one machine in tracked files", () => leftovers(root)],
];

let failed = 0;
for (const [name, check] of checks) {
  const start = performance.now();
  const problems = check();
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`${problems.length === 0 ? "ok  " : "FAIL"} ${name} (${seconds} s)`);
  for (const problem of problems) console.log(problem.replace(/^/gm, "     "));
  if (problems.length > 0) failed++;
}
console.log(`${checks.length - failed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
