/**
 * Every file that holds the product's version, and how it is read and replaced there. One list for the release, which
 * sets the version from the tag, and for the test that no file is behind.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const VERSION_FILES = [
  "package.json",
  "shared/package.json",
  "worker/package.json",
  "code-rag/package.json",
  "local-mcp/package.json",
  "mcp-server/package.json",
  "mcp-server/manifest.json",
  "mcp-server/server.json",
  ".claude-plugin/plugin.json",
];

/** `"version": "…"` wherever it stands, and the release in a download address. */
const PLACES = /(?<="version": ")[^"]+(?=")|(?<=\/releases\/download\/v)[^/"]+(?=\/)/g;

/**
 * The versions in a file's text, each place once.
 *
 * @param {string} text
 * @returns {string[]}
 */
export function versionsIn(text) {
  return text.match(PLACES) ?? [];
}

/**
 * The text with another version in every place; nothing else of it changes.
 *
 * @param {string} text
 * @param {string} version
 */
export function withVersion(text, version) {
  return text.replace(PLACES, () => version);
}

/**
 * Sets the version in all files of a checkout.
 *
 * @param {string} root
 * @param {string} version
 */
export function setVersion(root, version) {
  for (const file of VERSION_FILES) {
    const path = join(root, file);
    writeFileSync(path, withVersion(readFileSync(path, "utf8"), version));
  }
}
