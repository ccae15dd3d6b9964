import { execFile } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { explainFailure, installationHash, isInstalled } from "./ensure-install.mjs";

let root: string;
let calls: string;

/** A checkout of two packages, and an `npx` that notes that it was called and makes the folders pnpm would make. */
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "ensure-install-"));
  calls = join(root, "calls.log");
  mkdirSync(join(root, "worker"));
  mkdirSync(join(root, "scripts"));
  mkdirSync(join(root, "bin"));
  copyFileSync(new URL("ensure-install.mjs", import.meta.url), join(root, "scripts/ensure-install.mjs"));
  manifest("", { devDependencies: { vitest: "1.0.0" } });
  manifest("worker", { dependencies: { hono: "1.0.0" } });
  writeFileSync(join(root, "pnpm-lock.yaml"), "lock: 1\n");
  npx('sleep 0.3; mkdir -p node_modules worker/node_modules; echo "pnpm says hello"');
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

function manifest(folder: string, content: object) {
  writeFileSync(join(root, folder, "package.json"), JSON.stringify({ name: folder, ...content }));
}

function npx(script: string) {
  const path = join(root, "bin/npx");
  writeFileSync(path, `#!/bin/sh\necho "$@" >> '${calls}'\n${script}\n`);
  chmodSync(path, 0o755);
}

function run(path = `${join(root, "bin")}:/usr/bin:/bin`): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((done) => {
    const script = join(root, "scripts/ensure-install.mjs");
    execFile(process.execPath, [script], { env: { PATH: path } }, (error, stdout, stderr) =>
      done({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });
}

const callCount = () => (existsSync(calls) ? readFileSync(calls, "utf8").trim().split("\n").length : 0);

test("installs once, frozen to the lockfile, and says nothing on stdout", async () => {
  const first = await run();
  expect(first).toMatchObject({ code: 0, stdout: "" });
  expect(first.stderr).toContain("pnpm says hello");
  expect(readFileSync(calls, "utf8")).toMatch(/^--yes --prefer-offline pnpm@[\d.]+ install --frozen-lockfile\n$/);
  expect(await run()).toEqual({ code: 0, stdout: "", stderr: "" });
  expect(callCount()).toBe(1);
});

test("installs again when a dependency, the lockfile or a package's node_modules changed, and only then", async () => {
  await run();
  manifest("worker", { dependencies: { hono: "1.0.0" }, scripts: { anything: "else" } });
  await run();
  expect(callCount()).toBe(1);
  manifest("worker", { dependencies: { hono: "2.0.0" } });
  await run();
  expect(callCount()).toBe(2);
  writeFileSync(join(root, "pnpm-lock.yaml"), "lock: 2\n");
  await run();
  expect(callCount()).toBe(3);
  rmSync(join(root, "worker/node_modules"), { recursive: true });
  expect(isInstalled(root)).toBe(false);
  await run();
  expect(callCount()).toBe(4);
});

test("of several at once one installs and the others wait for it", async () => {
  const runs = await Promise.all([run(), run(), run(), run()]);
  expect(runs.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
  expect(callCount()).toBe(1);
});

test("a lock whose holder died is taken over", async () => {
  mkdirSync(join(root, ".install-lock"));
  writeFileSync(join(root, ".install-lock/pid"), "2147483646");
  expect((await run()).code).toBe(0);
  expect(existsSync(join(root, ".install-lock"))).toBe(false);
});

test("runs on the machine's own Node.js, not on the one that it may replace", async () => {
  const own = join(root, "node_modules/.bin");
  mkdirSync(own, { recursive: true });
  writeFileSync(join(own, "npx"), "#!/bin/sh\nexit 9\n", { mode: 0o755 });
  expect((await run(`${own}:${join(root, "bin")}:/usr/bin:/bin`)).code).toBe(0);
  expect(callCount()).toBe(1);
});

test("a failed installation is told, is not stamped and leaves no lock", async () => {
  npx('echo "getaddrinfo ENOTFOUND registry.example" >&2; exit 1');
  const failed = await run();
  expect(failed.code).toBe(1);
  expect(failed.stderr).toContain("can't be reached");
  expect(isInstalled(root)).toBe(false);
  expect(existsSync(join(root, ".install-lock"))).toBe(false);
});

test("a machine without npx is told what to install", async () => {
  const failed = await run("/nonexistent");
  expect(failed.code).toBe(1);
  expect(failed.stderr).toContain("npx was not found");
});

test("a lockfile that is behind the manifests is told as such", () => {
  expect(explainFailure(1, "ERR_PNPM_OUTDATED_LOCKFILE  Cannot install")).toContain("lockfile does not match");
  expect(explainFailure(7, "something else")).toContain("exit code 7");
});

test("the hash names packages, not scripts", () => {
  const before = installationHash(root);
  manifest("", { devDependencies: { vitest: "1.0.0" }, scripts: { test: "x" }, description: "y" });
  expect(installationHash(root)).toBe(before);
  mkdirSync(join(root, "bridge"));
  manifest("bridge", {});
  expect(installationHash(root)).not.toBe(before);
});
