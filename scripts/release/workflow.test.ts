import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const workflow = readFileSync(join(root, ".github/workflows/release.yml"), "utf8");
const all = (pattern: RegExp) => [...workflow.matchAll(pattern)].map(([, match = ""]) => match);

test("every script that the release runs is in the repository", () => {
  const files = all(/- run: (?:node|bash) (\S+)|run: node (\S+)/g).filter(Boolean);
  expect(files.length).toBeGreaterThan(1);
  for (const file of files) expect(existsSync(join(root, file)), file).toBe(true);
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const commands = all(/npm run (\S+)/g);
  expect(commands).toEqual(["build:bridge", "build:mcpb"]);
  for (const command of commands) expect(scripts[command], command).toBeDefined();
});

test("only the job that attaches the bundle may write to the repository, and only those that publish prove who they are", () => {
  expect(workflow).toMatch(/^permissions: \{\}$/m);
  const jobs = workflow
    .slice(workflow.indexOf("\njobs:\n"))
    .split(/^ {2}(?=\w+:$)/m)
    .slice(1);
  const permissions = jobs.map((job) => [
    job.split(":", 1)[0],
    [...job.matchAll(/^ {6}([\w-]+: (?:read|write))$/gm)].map(([, grant]) => grant),
  ]);
  expect(Object.fromEntries(permissions)).toEqual({
    build: ["contents: read"],
    attach: ["contents: write"],
    npm: ["contents: read", "id-token: write"],
    registry: ["contents: read", "id-token: write"],
  });
});

test("a release's tag reaches the shell as a variable, never as text of the script", () => {
  // https://docs.github.com/en/actions/reference/security/secure-use#good-practices-for-mitigating-script-injection-attacks
  const scripts = workflow
    .split("\n")
    .filter((line) => /^\s*(- )?run:|^ {10}\S/.test(line) && !/^ {10}[\w-]+:/.test(line));
  expect(scripts.length).toBeGreaterThan(5);
  expect(scripts.filter((line) => line.includes("${{"))).toEqual([]);
});

test("what the release uses is pinned to a version", () => {
  for (const action of all(/uses: (\S+)/g)) expect(action).toMatch(/^actions\/[\w-]+@v\d+$/);
  expect(all(/go install (\S+)/g)).toEqual([expect.stringMatching(/@v\d+\.\d+\.\d+$/)]);
});
