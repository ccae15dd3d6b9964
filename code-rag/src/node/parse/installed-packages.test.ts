import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { extractUnits } from "../../engine/units/extract.ts";
import type { ParsePort } from "../../engine/units/parse-port.ts";
import { violations } from "../../engine/units/tiling.ts";
import { createNodePort } from "./node-port.ts";

/** What the workspace's installed packages are written in, and how many files of each are looked at. */
const EXTENSIONS = ["js", "mjs", "cjs", "ts", "mts", "cts", "h", "cc", "md", "yml", "json", "css"];
const FILES = 200;
const LARGEST = 300_000;

const NODE_MODULES = fileURLToPath(new URL("../../../../node_modules/.pnpm/", import.meta.url));

/** All files, in a fixed order that has nothing to do with their place. */
function installedFiles(): Map<string, string[]> {
  const byExtension = new Map<string, string[]>(EXTENSIONS.map((extension) => [extension, []]));
  const folders = [NODE_MODULES];
  for (let folder = folders.pop(); folder; folder = folders.pop()) {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) folders.push(path);
      else if (entry.isFile()) byExtension.get(entry.name.slice(entry.name.lastIndexOf(".") + 1))?.push(path);
    }
  }
  for (const files of byExtension.values()) files.sort((a, b) => scatter(a) - scatter(b) || (a < b ? -1 : 1));
  return byExtension;
}

/** FNV-1a of the path inside the store: the same choice on every machine with the same packages. */
function scatter(path: string): number {
  let hash = 0x811c9dc5;
  for (const character of path.slice(NODE_MODULES.length))
    hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193) >>> 0;
  return hash;
}

describe("files of installed packages", () => {
  const files = installedFiles();
  let parse: ParsePort;
  beforeAll(async () => {
    parse = await createNodePort();
  });

  test.each(EXTENSIONS)(
    "every character of .%s files is in exactly one window, and lines are right",
    (extension) => {
      const chosen = (files.get(extension) ?? []).filter((path) => statSync(path).size <= LARGEST).slice(0, FILES);
      expect(chosen.length).toBeGreaterThan(0);
      for (const path of chosen) {
        const text = readFileSync(path, "utf8");
        const { units } = extractUnits({ path, text }, parse);
        expect(violations(text, units), path).toEqual([]);
      }
    },
    120_000,
  );
});
