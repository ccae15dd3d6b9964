/**
 * Puts the npm package together in `code-rag/dist`: compiled sources, the embedding table, README, licence, and a manifest
 * whose dependency versions are those of the workspace's catalog. `npm pack ./code-rag/dist` then makes the tarball.
 */

import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const readJson = (file) => JSON.parse(readFileSync(file, "utf8"));

rmSync(path("../dist"), { recursive: true, force: true });
mkdirSync(path("../dist"));
execFileSync(process.execPath, [path("../../node_modules/typescript/bin/tsc"), "-p", path("../tsconfig.build.json")], {
  stdio: "inherit",
});

const { name, version, description, license, type, engines, dependencies } = readJson(path("../package.json"));
const pinned = Object.keys(dependencies).map((dependency) => [
  dependency,
  readJson(path(`../node_modules/${dependency}/package.json`)).version,
]);
const manifest = {
  name,
  version,
  description,
  license,
  type,
  engines,
  bin: { "code-rag": "src/node/main.js" },
  files: ["src", "model"],
  dependencies: Object.fromEntries(pinned),
};
writeFileSync(path("../dist/package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
cpSync(path("../README.md"), path("../dist/README.md"));
cpSync(path("../../LICENSE"), path("../dist/LICENSE"));
if (existsSync(path("../model"))) cpSync(path("../model"), path("../dist/model"), { recursive: true });
chmodSync(path("../dist/src/node/main.js"), 0o755);
