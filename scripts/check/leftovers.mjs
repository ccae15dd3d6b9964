/**
 * Finds what a tracked file should not carry from the machine it was written on: absolute paths, registry addresses.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const SIGNS = [
  { sign: /(?<![\w./~-])\/(?:work|root|home|Users)\/[\w.-]+/, what: "a path of one machine" },
  { sign: /\b[A-Z]:\\Users\\/, what: "a path of one machine" },
  { sign: /^\s*(?:@[\w-]+:)?registry\s*=/m, files: /(^|\/)\.npmrc$/, what: "a registry address" },
  { sign: /https?:\/\//, files: /(^|\/)pnpm-lock\.yaml$/, what: "a registry address" },
];

/** What is wrong with one file's text: `line: what, where`. */
export function leftoversIn(path, text) {
  return SIGNS.filter(({ files }) => !files || files.test(path)).flatMap(({ sign, what }) => {
    const match = sign.exec(text);
    if (!match) return [];
    const line = text.slice(0, match.index).split("\n").length;
    return [`${path}:${line} holds ${what}: ${match[0].trim()}`];
  });
}

/** The same for every tracked text file of a checkout; a copy without git has nothing tracked. */
export function leftovers(root) {
  const list = spawnSync("git", ["ls-files", "-z"], { cwd: root, encoding: "utf8" });
  if (list.status !== 0) return [];
  return list.stdout
    .split("\0")
    .filter(Boolean)
    .flatMap((path) => {
      let text;
      try {
        text = readFileSync(join(root, path), "utf8");
      } catch {
        return []; // deleted, and not committed yet
      }
      return text.includes("\0") ? [] : leftoversIn(path, text);
    });
}
