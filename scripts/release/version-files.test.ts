import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { VERSION_FILES, versionsIn, withVersion } from "./version-files.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (file: string) => readFileSync(join(root, file), "utf8");
const { version } = JSON.parse(read("package.json"));

test.each(VERSION_FILES)("%s holds the version of the root's package.json, and no other", (file) => {
  expect(new Set(versionsIn(read(file)))).toEqual(new Set([version]));
});

test("no manifest in the repository is left out", () => {
  const manifests = globSync(["*.json", "*/*.json", ".claude-plugin/*.json"], { cwd: root }).filter(
    (file) => !file.includes("tsconfig") && JSON.parse(read(file)).version !== undefined,
  );
  expect([...VERSION_FILES].sort()).toEqual(manifests.sort());
});

test("only versions of the product are replaced", () => {
  const text = '{"manifest_version": "0.3", "version": "1.0.0", "node": ">=18.0.0", "zod": "4.0.0"}';
  expect(withVersion(text, "2.0.0")).toBe(text.replace("1.0.0", "2.0.0"));
  expect(versionsIn("https://example.com/releases/download/v1.0.0/x.mcpb")).toEqual(["1.0.0"]);
});
