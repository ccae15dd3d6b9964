/**
 * `npm run build:mcpb [FILE]`: packs `mcp-server/` (with the build of the bridge in it) into
 * `mcp-server/dist/github-webhook-mcp.mcpb`, which Claude Desktop installs. The file is named the same in every release,
 * so that `releases/latest/download/…` goes on working.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { sha256 } from "./release/sha256.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const source = join(root, "mcp-server");
const bundle = resolve(process.argv[2] ?? join(source, "dist/github-webhook-mcp.mcpb"));
const mcpb = join(dirname(createRequire(import.meta.url).resolve("@anthropic-ai/mcpb")), "cli/cli.js");

/** @param {string[]} args */
function run(args) {
  const { status } = spawnSync(process.execPath, [mcpb, ...args], { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}

if (!existsSync(join(source, "server/index.js"))) {
  console.error("mcp-server/server/index.js is missing: run npm run build:bridge first.");
  process.exit(1);
}
mkdirSync(dirname(bundle), { recursive: true });
run(["validate", join(source, "manifest.json")]);
run(["pack", source, bundle]);
console.log(`${relative(process.cwd(), bundle)}: ${statSync(bundle).size} bytes, sha256 ${sha256(bundle)}`);
