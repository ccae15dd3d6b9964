/**
 * `node scripts/release/set-bundle-hash.mjs BUNDLE SERVER_JSON`: writes the bundle's SHA-256 into the `mcpb` entry of
 * server.json. The MCP registry demands it, and clients check a download against it. It is not in the repository: a zip
 * holds the time of its making, so that each packing has another hash.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { sha256 } from "./sha256.mjs";

const [bundle, serverJson] = process.argv.slice(2);
if (bundle === undefined || serverJson === undefined) {
  console.error("Usage: node scripts/release/set-bundle-hash.mjs BUNDLE SERVER_JSON");
  process.exit(2);
}
const server = JSON.parse(readFileSync(serverJson, "utf8"));
const entries = server.packages.filter(({ registryType }) => registryType === "mcpb");
if (entries.length !== 1) {
  console.error(`${serverJson} has ${entries.length} packages of registryType "mcpb"; there has to be one.`);
  process.exit(1);
}
entries[0].fileSha256 = sha256(bundle);
writeFileSync(serverJson, `${JSON.stringify(server, null, 2)}\n`);
console.log(`sha256 ${entries[0].fileSha256}`);
