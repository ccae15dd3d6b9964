/**
 * code-rag as others get it: packed, installed into an empty directory, and asked by the MCP Inspector's command line over
 * stdio and HTTP, in both generations of the protocol.
 */
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { INSPECTOR, npx, runProgram } from "./run-program.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const LARGEST = 25_000_000;

const directory = mkdtempSync(join(tmpdir(), "code-rag-package-"));
const tree = join(directory, "tree");
const environment = { HOME: directory, CODE_RAG_CACHE: join(directory, "cache") };
const program = join(directory, "installed/node_modules/.bin/code-rag");
let tarball: string;

beforeAll(async () => {
  mkdirSync(join(tree, "src"), { recursive: true });
  writeFileSync(join(tree, "src/token.ts"), "export function refreshToken() {\n  return 1;\n}\n");
  writeFileSync(join(tree, "README.md"), "# Tokens\n\nA token is refreshed an hour before it ends.\n");
  execFileSync("npm", ["run", "--silent", "pack:code-rag"], { cwd: ROOT, stdio: ["ignore", "ignore", "inherit"] });
  const dist = join(ROOT, "code-rag/dist");
  tarball = join(dist, readdirSync(dist).find((name) => name.endsWith(".tgz")) as string);
  mkdirSync(join(directory, "installed"));
  const prefix = ["--prefix", join(directory, "installed")];
  const install = await runProgram("npm", ["install", "--no-audit", "--no-fund", ...prefix, tarball]);
  expect(install.code, install.stderr).toBe(0);
}, 180_000);
afterAll(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));

test("the package is small, and finds code without being told anything", async () => {
  expect(statSync(tarball).size).toBeLessThan(LARGEST);
  const indexed = await runProgram(program, ["index", tree, "--db", join(directory, "index.db"), "--json"]);
  expect(JSON.parse(indexed.stdout).roots, indexed.stderr).toMatchObject([{ root: "tree", files: 2, added: 2 }]);
  const found = await runProgram(program, ["search", "refresh", "--db", join(directory, "index.db"), "--json"]);
  expect(JSON.parse(found.stdout)[0]).toMatchObject({ path: "src/token.ts", symbol: "refreshToken" });
});

/** How the Inspector reaches a server, and what ends it. */
interface Reached {
  readonly options: readonly string[];
  readonly target: readonly string[];
  end(): Promise<void>;
}

function overStdio(): Promise<Reached> {
  const env = Object.entries(environment).flatMap(([name, value]) => ["-e", `${name}=${value}`]);
  return Promise.resolve({
    options: ["--transport", "stdio", ...env],
    target: [program, "serve", tree],
    end: () => Promise.resolve(),
  });
}

async function overHttp(): Promise<Reached> {
  const server = spawn(program, ["serve", "--http", "--port", "0", tree], {
    cwd: directory,
    env: { ...process.env, ...environment, PATH: `${join(ROOT, "node_modules/.bin")}:${process.env.PATH}` },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const closed = new Promise<void>((done) => server.once("close", () => done()));
  const url = await new Promise<string>((resolve, reject) => {
    let said = "";
    server.stderr.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      const [found] = /http:\S+/.exec(said) ?? [];
      if (found) resolve(found);
    });
    void closed.then(() => reject(new Error(`code-rag serve --http ended: ${said}`)));
  });
  return {
    options: ["--server-url", url, "--transport", "http", "--stored-auth-only"],
    target: [],
    end: () => {
      server.kill("SIGTERM");
      return closed;
    },
  };
}

describe.each([
  ["stdio", overStdio],
  ["HTTP", overHttp],
] as const)("the Inspector over %s", (_, reach) => {
  let server: Reached;
  beforeAll(async () => {
    server = await reach();
  });
  afterAll(() => server.end());

  async function inspect(era: string, method: string, ...rest: string[]) {
    const run = await npx(INSPECTOR, [
      ...["--cli", ...server.options, "--protocol-era", era, "--format", "json", "--method", method, ...rest],
      ...server.target,
    ]);
    const line = run.stdout.split("\n").find((text) => text.startsWith('{"result"'));
    return { ...run, result: line === undefined ? undefined : JSON.parse(line).result };
  }

  const call = (era: string, name: string, input: object) =>
    inspect(era, "tools/call", "--tool-name", name, "--tool-args-json", JSON.stringify(input));

  test.concurrent.each(["legacy", "modern"])(
    "%s protocol: lists every tool, and finds no error in their schemas",
    async (era) => {
      const { code, stderr, result } = await inspect(era, "tools/list", "--strict");
      expect(stderr).not.toMatch(/^Error: tool/m);
      expect(code, stderr).toBe(0);
      expect(result.tools).toHaveLength(15);
    },
  );

  test.concurrent.each(["legacy", "modern"])(
    "%s protocol: asks, and gets what both kinds of content say",
    async (era) => {
      expect((await call(era, "refresh_index", {})).code).toBe(0);
      const [found, refused] = await Promise.all([
        call(era, "search", { query: "refresh token" }),
        call(era, "read_source", { path: "../outside" }),
      ]);
      expect(found.code, found.stderr).toBe(0);
      expect(found.result.structuredContent.results).toEqual(
        expect.arrayContaining([expect.objectContaining({ path: "src/token.ts", symbol: "refreshToken" })]),
      );
      expect(found.result.content[0].text).toContain("src/token.ts:1-3 function refreshToken");
      expect({ code: refused.code, isError: refused.result.isError }).toEqual({ code: 5, isError: true });
    },
  );
});
