/**
 * `npm run build:bridge`: makes `mcp-server/server/index.js` out of `local-mcp/src/`, one file with everything inside,
 * for Node.js 18 and later, so that npx and the bundle have nothing to install. The same sources give the same bytes:
 * the file is committed, and a test compares it with a fresh build.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { noticesOf } from "./notices.mjs";
import { workerLists } from "./worker-lists.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
export const OUTPUT = join(root, "mcp-server/server/index.js");

/**
 * What runs before anything else: an old Node.js is told so, instead of what it does not know; and CommonJS inside
 * (undici) gets the `require` by which it asks for Node's own modules.
 */
const BANNER = `import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);
const [__major, __minor] = process.versions.node.split(".").map(Number);
if (__major < 18 || (__major === 18 && __minor < 17)) {
  console.error("github-webhook-mcp: Node.js 18.17 or newer is needed; this is " + process.version + ".");
  process.exit(1);
}`;

/** @returns {Promise<string>} the text of the built file */
export async function buildBridge() {
  const { version } = JSON.parse(readFileSync(join(root, "mcp-server/package.json"), "utf8"));
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: ["local-mcp/src/main.ts"],
    bundle: true,
    write: false,
    metafile: true,
    platform: "node",
    format: "esm",
    target: "node18.17",
    minify: true,
    // A stack trace in a bug report has to name its functions, and a line has to be short enough to be looked at.
    keepNames: true,
    lineLimit: 200,
    charset: "utf8",
    // In full below, each once.
    legalComments: "none",
    banner: { js: BANNER },
    define: { __WORKER_LISTS__: JSON.stringify(await workerLists()) },
    logLevel: "warning",
  });
  return `#!/usr/bin/env node\n${noticesOf(root, Object.keys(metafile.inputs), version)}\n${outputFiles[0].text}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const text = await buildBridge();
  mkdirSync(dirname(OUTPUT), { recursive: true });
  writeFileSync(OUTPUT, text, { mode: 0o755 });
  console.log(`${relative(root, OUTPUT)}: ${Buffer.byteLength(text)} bytes`);
}
