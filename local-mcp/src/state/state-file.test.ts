import { spawn, spawnSync } from "node:child_process";
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { openStateFile, stateFileName } from "./state-file.ts";

const WORKER = "https://webhook.example.com";
const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  vi.restoreAllMocks();
});

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "bridge-state-"));
  folders.push(made);
  return join(made, ".github-webhook-mcp");
}

const tokens = { accessToken: "a", refreshToken: "r", receivedAt: 1, expiresInSeconds: 3600 };

/** A process of its own with a state file of the same folder. */
function child(directory: string, script: string) {
  const started = spawn(
    process.execPath,
    [
      "--input-type=module-typescript",
      "-e",
      `import { openStateFile } from ${JSON.stringify(new URL("state-file.ts", import.meta.url).href)};
       const file = openStateFile(${JSON.stringify(directory)}, ${JSON.stringify(WORKER)});
       ${script}`,
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  return {
    kill: () => started.kill("SIGKILL"),
    said: (word: string) =>
      new Promise<void>((done) => started.stdout.on("data", (data) => String(data).includes(word) && done())),
    done: new Promise<number | null>((done) => started.on("close", done)),
  };
}

describe("the state file", () => {
  it("is private, one for each origin, and leaves no other file behind", async () => {
    const directory = folder();
    await openStateFile(directory, WORKER).update((state) => ({ ...state, tokens }));
    expect(await openStateFile(directory, "https://other.example.com").read()).toEqual({});
    expect(await openStateFile(directory, WORKER).read()).toEqual({ tokens });
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    expect(readdirSync(directory)).toEqual([stateFileName(WORKER)]);
    expect(statSync(join(directory, stateFileName(WORKER))).mode & 0o777).toBe(0o600);
    expect(stateFileName("http://localhost:1")).not.toBe(stateFileName("http://localhost_1"));
  });

  it("does not mind the files of 0.11.x", async () => {
    const directory = folder();
    mkdirSync(directory);
    for (const name of ["oauth-tokens.json", "oauth-client.json"]) writeFileSync(join(directory, name), "{}");
    expect(await openStateFile(directory, WORKER).read()).toEqual({});
  });

  it("keeps what is sound of a damaged file, and says so", async () => {
    const directory = folder();
    const stderr = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    const file = openStateFile(directory, WORKER);
    await file.update(() => ({ tokens }));
    const path = join(directory, stateFileName(WORKER));
    writeFileSync(path, JSON.stringify({ tokens, stream: { cursor: 7 } }));
    expect(await file.read()).toEqual({ tokens });
    expect(stderr.mock.calls.join()).toContain("is damaged (stream)");
    writeFileSync(path, '{"tokens":{"accessTo');
    expect(await file.read()).toEqual({});
    await file.update((state) => ({ ...state, client: { clientId: "c" } }));
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({ client: { clientId: "c" } });
  });

  it("is not written over where it is there and can't be read", async () => {
    const directory = folder();
    mkdirSync(directory);
    const path = join(directory, stateFileName(WORKER));
    symlinkSync(path, path);
    vi.spyOn(process.stderr, "write").mockReturnValue(true);
    const file = openStateFile(directory, WORKER);
    expect(await file.read()).toEqual({});
    await file.update(() => ({ tokens }));
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
    expect(await file.read()).toEqual({ tokens });
  });

  it("lives on in memory where the folder can't be made, and says so once", async () => {
    const directory = folder();
    writeFileSync(directory, "a file is in the way");
    const stderr = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    const file = openStateFile(directory, WORKER);
    await file.update(() => ({ tokens }));
    await file.update((state) => ({ ...state, client: { clientId: "c" } }));
    expect(await file.read()).toEqual({ tokens, client: { clientId: "c" } });
    expect(await file.exclusive("refresh", async () => 7)).toBe(7);
    expect(stderr.mock.calls.filter(([line]) => String(line).includes("can't be written to"))).toHaveLength(1);
  });
});

describe("a disk that takes names, but no content", () => {
  it("leaves the file as it was, everything else in memory, and nobody waiting", async () => {
    const directory = folder();
    await openStateFile(directory, WORKER).update(() => ({ tokens }));
    const script = `
      import { openStateFile } from ${JSON.stringify(new URL("state-file.ts", import.meta.url).href)};
      const file = openStateFile(${JSON.stringify(directory)}, ${JSON.stringify(WORKER)});
      await file.update((state) => ({ ...state, client: { clientId: "c" } }));
      for (let n = 0; n < 3; n++) await file.exclusive("refresh", async () => {});
      console.log(JSON.stringify(await file.read()));`;
    const started = performance.now();
    // Files of no more than 0 blocks: every write of content fails, as on a full disk.
    const { stdout, stderr } = spawnSync(
      "/bin/sh",
      ["-c", 'ulimit -f 0; "$0" --input-type=module-typescript -e "$1"', process.execPath, script],
      { encoding: "utf8" },
    );
    expect(JSON.parse(stdout)).toEqual({ tokens, client: { clientId: "c" } });
    expect(stderr.match(/can't be written to/g)).toHaveLength(1);
    expect(performance.now() - started).toBeLessThan(9_000);
    expect(await openStateFile(directory, WORKER).read()).toEqual({ tokens });
    expect(readdirSync(directory)).toEqual([stateFileName(WORKER)]);
  });
});

describe("among processes", () => {
  it("loses no update of ten that write at once", async () => {
    const directory = folder();
    const writers = Array.from({ length: 10 }, () =>
      child(
        directory,
        `for (let n = 0; n < 10; n++) await file.update((state) => ({ stream: { cursor: String(Number(state.stream?.cursor ?? 0) + 1) } }));`,
      ),
    );
    expect(await Promise.all(writers.map(({ done }) => done))).toEqual(Array(10).fill(0));
    expect(await openStateFile(directory, WORKER).read()).toEqual({ stream: { cursor: "100" } });
    expect(readdirSync(directory)).toEqual([stateFileName(WORKER)]);
  });

  it("runs a step alone, and takes over from a process that was killed in it", async () => {
    const directory = folder();
    const holder = child(
      directory,
      `await file.exclusive("refresh", async () => { console.log("held"); await new Promise(() => setInterval(() => {}, 1000)); });`,
    );
    await holder.said("held");
    const file = openStateFile(directory, WORKER);
    expect(await file.tryExclusive("refresh", async () => 1)).toBeNull();
    expect(await file.tryExclusive("sign-in", async () => 1)).toEqual({ result: 1 });
    holder.kill();
    await holder.done;
    expect(await file.exclusive("refresh", async () => 2)).toBe(2);
  });

  it("takes over a lock of another host that nobody has renewed", async () => {
    const directory = folder();
    mkdirSync(directory);
    const lock = join(directory, `${stateFileName(WORKER)}.refresh.lock`);
    writeFileSync(lock, "another-host 1 x");
    const file = openStateFile(directory, WORKER);
    expect(await file.tryExclusive("refresh", async () => 1)).toBeNull();
    // The second time: this machine's clock has been set back meanwhile (row 34).
    for (const ageMs of [20_000, -3 * 3_600_000]) {
      writeFileSync(lock, "another-host 1 x");
      utimesSync(lock, new Date(Date.now() - ageMs), new Date(Date.now() - ageMs));
      expect(await file.exclusive("refresh", async () => 2)).toBe(2);
    }
  });
});
