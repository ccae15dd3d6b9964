import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
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

test("a directory is served by one process at a time", () => {
  const release = claimStateDirectory(directory, note);
  expect(runningServer(directory)).toEqual({ pid: process.pid, ...note });
  expect(() => claimStateDirectory(directory, note)).toThrow(/already served by process \d+ at http/);
  expect(statSync(join(directory, "running.json")).mode & 0o777).toBe(0o600);
  release();
  expect(runningServer(directory)).toBeNull();
  claimStateDirectory(directory, note)();
});

test("what a killed process left behind is taken over", async () => {
  const child = spawn(process.execPath, ["-e", ""]);
  await new Promise((done) => child.once("exit", done));
  writeFileSync(join(directory, "running.json"), JSON.stringify({ ...note, pid: child.pid }));
  expect(runningServer(directory)).toBeNull();
  const release = claimStateDirectory(directory, note);
  expect(JSON.parse(readFileSync(join(directory, "running.json"), "utf8")).pid).toBe(process.pid);
  release();
});
