import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { claimStateDirectory, localToken, prepareStateDirectory, runningServer, stateDirectory } from "./state.mjs";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "state-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const note = { url: "http://127.0.0.1:1", token: "t" };

test("the state directory is .state in the checkout, or STATE_DIR from where the command was given", () => {
  expect(stateDirectory("/checkout", undefined)).toBe("/checkout/.state");
  expect(stateDirectory("/checkout", "")).toBe("/checkout/.state");
  expect(stateDirectory("/checkout", "here", "/cwd")).toBe("/cwd/here");
  expect(stateDirectory("/checkout", "/there", "/cwd")).toBe("/there");
});

test("a directory that can't be made is told by name", () => {
  const file = join(directory, "file");
  writeFileSync(file, "");
  expect(() => prepareStateDirectory(join(file, "sub"))).toThrow(`The state directory ${file}/sub can't be used`);
});

test("the token is made once, kept, hard to guess and readable by its owner only", () => {
  const token = localToken(directory, undefined);
  expect(token).toMatch(/^[\w-]{43}$/);
  expect(localToken(directory, "")).toBe(token);
  const path = join(directory, "local-token");
  expect(statSync(path).mode & 0o777).toBe(0o600);
  chmodSync(path, 0o644);
  localToken(directory, undefined);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("LOCAL_TOKEN is used as it is, not kept, and refused where no header could carry it", () => {
  expect(localToken(directory, "my-token")).toBe("my-token");
  expect(existsSync(join(directory, "local-token"))).toBe(false);
  for (const bad of ["with space", "ünï", 'quo"te', "a\nb", "=", "a=b"]) {
    expect(() => localToken(directory, bad), bad).toThrow("LOCAL_TOKEN");
  }
});

test("a directory is served by one process at a time", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const served = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: "t" };
  const release = await claimStateDirectory(directory, served);
  expect(runningServer(directory)).toMatchObject({ pid: process.pid, ...served });
  await expect(claimStateDirectory(directory, note)).rejects.toThrow(/already served by process \d+ at http/);
  expect(statSync(join(directory, "running.json")).mode & 0o777).toBe(0o600);
  release();
  expect(runningServer(directory)).toBeNull();
  (await claimStateDirectory(directory, note))();
  server.close();
});

test("one that is still starting is left alone, too", async () => {
  const release = await claimStateDirectory(directory, note);
  await expect(claimStateDirectory(directory, note, { patienceMs: 0 })).rejects.toThrow("already served");
  release();
});

test("what a killed process left behind is taken over, even if its id is another's by now", async () => {
  const child = spawn(process.execPath, ["-e", ""]);
  await once(child, "exit");
  const path = join(directory, "running.json");
  for (const pid of [child.pid, process.ppid]) {
    writeFileSync(path, JSON.stringify({ ...note, pid, startedAt: Date.now() - 100_000 }));
    const release = await claimStateDirectory(directory, note, { patienceMs: 0 });
    expect(JSON.parse(readFileSync(path, "utf8")).pid).toBe(process.pid);
    release();
  }
});
