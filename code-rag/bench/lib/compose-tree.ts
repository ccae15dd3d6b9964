import { copyFileSync, lstatSync, mkdirSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { languageOf } from "../../src/engine/units/language-of.ts";
import { mulberry32 } from "./bootstrap.ts";

/** The indexer's own limit. */
const LARGEST = 1_000_000;

/** Any; this one begins with commons-io, acorn and poetry. */
const SEED = 1;

/**
 * Copies source files of packages into `target`, whole packages one after the other in an order of its own, until there are
 * `files` of them. A smaller tree of the same packages is a part of a larger one. Gives how many there are.
 */
export function composeTree(packages: readonly string[], files: number, target: string): number {
  let copied = 0;
  for (const [position, directory] of shuffled(packages).entries()) {
    for (const path of sourceFiles(directory)) {
      if (copied === files) return copied;
      const file = join(target, `package-${position}`, path);
      mkdirSync(dirname(file), { recursive: true });
      copyFileSync(join(directory, path), file);
      copied++;
    }
  }
  return copied;
}

/** Code and documents below a package's directory; no data. */
function sourceFiles(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: "utf8" })
    .filter((path) => !/(?:^|\/)(?:\.git|node_modules)(?:\/|$)/.test(path))
    .filter((path) => languageOf({ path, text: "" }).splitter.by !== "windows")
    .filter((path) => {
      const stat = lstatSync(join(directory, path));
      return stat.isFile() && stat.size <= LARGEST;
    })
    .sort();
}

function shuffled(packages: readonly string[]): string[] {
  const random = mulberry32(SEED);
  return packages
    .map((name) => ({ name, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ name }) => name);
}
