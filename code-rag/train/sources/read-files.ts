import { type Dirent, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { FetchedPackage } from "./package.ts";

export interface PackageFile {
  /** Inside the package, with `/`. */
  readonly path: string;
  readonly text: string;
}

const EXTENSION = /\.(?:py|go|c|h|cc|cpp|cxx|hpp|hh|js|mjs|cjs|jsx|ts|mts|tsx|java|rs|rb|php|cs|kt|swift|scala|md)$/i;
/** Tests, what others wrote, and what a program wrote. Declaration files repeat what the code says. */
const UNWANTED =
  /(?:^|\/)(?:tests?|__tests__|testdata|testing|specs?|fixtures?|mocks?|vendor|third[_-]?party|node_modules|examples?|samples?|benchmarks?|debian|\.\w+|umd|min|locales?|i18n|generated|CHANGELOG[^/]*)(?:\/|$)|[._-](?:test|spec|min|pb|generated)\.\w+$|_test\.go$|\.d\.[cm]?ts$/i;
const LARGEST = 200_000;
const MOST_FILES = 2_500;

/** The files of a package that are worth reading, in a fixed order that has nothing to do with their place. */
export function readFiles({ directory, mayUse }: FetchedPackage): PackageFile[] {
  const paths: string[] = [];
  const folders = [""];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of entriesOf(join(directory, folder))) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (UNWANTED.test(path)) continue;
      if (entry.isDirectory()) folders.push(path);
      else if (entry.isFile() && EXTENSION.test(path) && mayUse(path)) paths.push(path);
    }
  }
  paths.sort((a, b) => scatter(a) - scatter(b) || (a < b ? -1 : 1));
  return paths.slice(0, MOST_FILES).flatMap((path) => {
    const bytes = readFileSync(join(directory, path));
    if (bytes.length > LARGEST || bytes.includes(0)) return [];
    const text = bytes.toString("utf8");
    // Long lines are data or minified.
    return text.length / (text.split("\n").length + 1) > 120 ? [] : [{ path, text }];
  });
}

function entriesOf(folder: string): Dirent[] {
  return readdirSync(folder, { withFileTypes: true });
}

/** FNV-1a. */
export function scatter(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return hash;
}
