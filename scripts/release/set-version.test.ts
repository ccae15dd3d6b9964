import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { VERSION_FILES, versionsIn } from "./version-files.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
let checkout: string;

beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), "release-"));
  for (const path of [...VERSION_FILES, "scripts/release"]) {
    cpSync(join(root, path), join(checkout, path), { recursive: true });
  }
});
afterEach(() => rmSync(checkout, { recursive: true, force: true }));

const read = (path: string) => readFileSync(join(checkout, path), "utf8");

function run(
  script: string,
  args: string[],
): Promise<{ code: number; stdout: string; stderr: string; output: string }> {
  const output = join(checkout, "github-output");
  writeFileSync(output, "");
  return new Promise((done) => {
    execFile(
      process.execPath,
      [join(checkout, "scripts/release", script), ...args],
      { cwd: checkout, env: { PATH: process.env.PATH, GITHUB_OUTPUT: output } },
      (error, stdout, stderr) =>
        done({ code: error ? Number(error.code) : 0, stdout, stderr, output: readFileSync(output, "utf8") }),
    );
  });
}

test("a release has its tag's version in every file, and nothing else changes", async () => {
  const before = new Map(VERSION_FILES.map((file) => [file, read(file)]));
  const [current = "?"] = versionsIn(read("package.json"));
  const { code, stdout, output } = await run("set-version.mjs", ["v9.8.7-rc.1"]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: `9.8.7-rc.1 (npm: next) in ${VERSION_FILES.length} files\n` });
  expect(output).toBe("version=9.8.7-rc.1\ndist_tag=next\n");
  for (const [file, text] of before) {
    expect(read(file), file).not.toBe(text);
    expect(read(file).replaceAll("9.8.7-rc.1", current), file).toBe(text);
  }
  const { version, packages } = JSON.parse(read("mcp-server/server.json"));
  expect([version, ...packages.map((entry: { version: string }) => entry.version)]).toEqual(
    Array(3).fill("9.8.7-rc.1"),
  );
  expect(packages[1].identifier).toContain("/releases/download/v9.8.7-rc.1/github-webhook-mcp.mcpb");
});

test("a tag that is no version stops the release, and no file changes", async () => {
  const before = VERSION_FILES.map(read);
  expect(await run("set-version.mjs", ["nightly"])).toMatchObject({
    code: 1,
    stderr: '"nightly" is no release tag: it has to be a version such as v1.2.3, or v1.3.0-rc.1 for a pre-release.\n',
    output: "",
  });
  expect(await run("set-version.mjs", [])).toMatchObject({ code: 2, stderr: expect.stringContaining("Usage:") });
  expect(VERSION_FILES.map(read)).toEqual(before);
});

test("server.json gets the hash of the bundle that is published", async () => {
  const bundle = join(checkout, "some.mcpb");
  writeFileSync(bundle, "abc");
  const { code, stdout } = await run("set-bundle-hash.mjs", [bundle, "mcp-server/server.json"]);
  // FIPS 180-2, appendix B.1: the hash of "abc".
  const hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  expect({ code, stdout }).toEqual({ code: 0, stdout: `sha256 ${hash}\n` });
  const before = JSON.parse(readFileSync(join(root, "mcp-server/server.json"), "utf8"));
  before.packages[1].fileSha256 = hash;
  expect(JSON.parse(read("mcp-server/server.json"))).toEqual(before);
});

test("a server.json without a bundle stops the release", async () => {
  writeFileSync(join(checkout, "server.json"), '{"packages":[]}');
  expect(await run("set-bundle-hash.mjs", ["package.json", "server.json"])).toMatchObject({
    code: 1,
    stderr: 'server.json has 0 packages of registryType "mcpb"; there has to be one.\n',
  });
});
