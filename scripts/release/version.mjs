/** What a release tag says: its version, and who gets it. Pure. */

/**
 * Semantic versions (https://semver.org), without build metadata: npm and the MCP registry drop it, and two releases
 * would have the same number.
 */
const NUMBER = "(?:0|[1-9]\\d*)";
const PRERELEASE_PART = "(?:0|[1-9]\\d*|\\d*[A-Za-z-][0-9A-Za-z-]*)";
const VERSION = new RegExp(`^${NUMBER}\\.${NUMBER}\\.${NUMBER}(?:-${PRERELEASE_PART}(?:\\.${PRERELEASE_PART})*)?$`);

/**
 * The version of a tag: `v1.2.3` and `1.2.3` are 1.2.3.
 *
 * @param {string} tag
 * @throws Error with a sentence for whoever made the release, when the tag is no version
 */
export function versionOfTag(tag) {
  const version = tag.startsWith("v") ? tag.slice(1) : tag;
  if (!VERSION.test(version)) {
    throw new Error(
      `"${tag}" is no release tag: it has to be a version such as v1.2.3, or v1.3.0-rc.1 for a pre-release.`,
    );
  }
  return version;
}

/**
 * npm's dist-tag for a version. `npx github-webhook-mcp` gets `latest`; a pre-release has to be asked for.
 *
 * @param {string} version
 * @returns {"latest" | "next"}
 */
export function distTag(version) {
  return version.includes("-") ? "next" : "latest";
}
