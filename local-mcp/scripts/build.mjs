/**
 * `npm run build:bridge`: mcp-server/server/index.js, the bridge in one file with everything inside, for Node.js 18 and
 * later. The same sources give the same bytes.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { workerLists } from "./worker-lists.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
export const OUTPUT = join(root, "mcp-server/server/index.js");

/** CommonJS inside (undici) asks for Node's own modules through `require`. */
const BANNER = `#!/usr/bin/env node
// Built from local-mcp/src by "npm run build:bridge". Not to be edited.
import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);`;

/** @returns {Promise<string>} the text of the bundle */
export async function bundleBridge() {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: [join(root, "local-mcp/src/main.ts")],
    bundle: true,
    write: false,
    metafile: true,
    platform: "node",
    format: "esm",
    target: "node18.17",
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: "none",
    banner: { js: BANNER },
    define: { __WORKER_LISTS__: JSON.stringify(await workerLists()) },
    logLevel: "warning",
  });
  return `${outputFiles[0].text}${licences(Object.keys(metafile.inputs))}`;
}

/** The licences of what is inside, as they ask for it: at the end of the file. */
function licences(inputs) {
  const packages = new Map();
  for (const input of inputs) {
    const folder = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1];
    if (folder === undefined) continue;
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
    packages.set(`${name} ${version}`, license);
  }
  const lines = [...packages]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, licence]) => ` *   ${name} (${licence})`);
  return `/*!\n * Inside are, under their own licences:\n${lines.join("\n")}\n */\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const text = await bundleBridge();
  mkdirSync(dirname(OUTPUT), { recursive: true });
  writeFileSync(OUTPUT, text, { mode: 0o755 });
  console.log(`mcp-server/server/index.js: ${Math.round(text.length / 1024)} KB`);
}
