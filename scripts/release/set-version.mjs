/**
 * `node scripts/release/set-version.mjs TAG`: writes the version of a release's tag into every file that holds one, and
 * tells a workflow what the version and npm's dist-tag are (`version=…`, `dist_tag=…` in $GITHUB_OUTPUT).
 */
import { appendFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { distTag, versionOfTag } from "./version.mjs";
import { setVersion, VERSION_FILES } from "./version-files.mjs";

const [tag] = process.argv.slice(2);
if (tag === undefined) {
  console.error("Usage: node scripts/release/set-version.mjs TAG");
  process.exit(2);
}
try {
  const version = versionOfTag(tag);
  setVersion(fileURLToPath(new URL("../..", import.meta.url)), version);
  const { GITHUB_OUTPUT } = process.env;
  if (GITHUB_OUTPUT) appendFileSync(GITHUB_OUTPUT, `version=${version}\ndist_tag=${distTag(version)}\n`);
  console.log(`${version} (npm: ${distTag(version)}) in ${VERSION_FILES.length} files`);
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
