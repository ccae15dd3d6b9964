/** What several bridges on one machine do about one sign-in: real processes over one state folder. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openStateFile } from "../state/state-file.ts";
import { OAuthWorker } from "./testing/oauth-worker.ts";

let worker: OAuthWorker;
let folder: string;
const children: ChildProcess[] = [];

beforeEach(async () => {
  worker = await OAuthWorker.start();
  folder = mkdtempSync(join(tmpdir(), "bridge-access-"));
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  await worker.close();
  rmSync(folder, { recursive: true, force: true });
});

const src = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);

/** A process that runs `script` with an `access`; its lines on stdout, the browser's tabs as `tab URL`. */
function bridge(script: string, directory = folder) {
  const child = spawn(
    process.execPath,
    [
      "--input-type=module-typescript",
      "-e",
      `import { createAccess } from ${src("access.ts")};
       import { OAuthClient } from ${src("oauth-client.ts")};
       import { createNetwork } from ${src("../network/network.ts")};
       import { openStateFile } from ${src("../state/state-file.ts")};
       const say = (...words) => console.log(words.join(" "));
       const access = createAccess({
         oauth: new OAuthClient(createNetwork({}), ${JSON.stringify(worker.url)}),
         state: openStateFile(${JSON.stringify(directory)}, ${JSON.stringify(worker.url)}),
         openBrowser: (url) => say("tab", url),
         pollIntervalMs: 50,
       });
       access.onAvailable(async () => say("available", (await access.token({ interactive: false })).token));
       const staying = setInterval(() => {}, 1000);
       const done = () => { access.close(); process.exit(0); };
       ${script}`,
    ],
    { stdio: ["ignore", "pipe", "ignore"] },
  );
  children.push(child);
  const lines: string[] = [];
  child.stdout?.on("data", (data) => lines.push(...String(data).trim().split("\n")));
  const ended = new Promise<void>((done) => child.on("close", () => done()));
  return {
    lines,
    ended,
    kill: () => child.kill("SIGKILL"),
    /** The first line that begins so. */
    said: (beginning: string): Promise<string> =>
      vi.waitFor(
        () => {
          const line = lines.find((said) => said.startsWith(beginning));
          if (line === undefined) throw new Error(`not said: ${beginning}; only: ${lines.join(", ")}`);
          return line;
        },
        { timeout: 20_000, interval: 20 },
      ),
  };
}

const state = () => openStateFile(folder, worker.url);

describe("ten bridges on one state folder", () => {
  it("refresh once at the token's expiry, and nobody has to sign in", async () => {
    worker.clients.add("c");
    worker.refreshTokens.add("r");
    worker.slowness = 100;
    await state().update(() => ({
      client: { clientId: "c" },
      tokens: { accessToken: "old", refreshToken: "r", receivedAt: Date.now() - 3_400_000, expiresInSeconds: 3_600 },
    }));
    const bridges = Array.from({ length: 10 }, () =>
      bridge(`const a = await access.token({ interactive: true }); say(a.outcome, a.token); done();`),
    );
    await Promise.all(bridges.map(({ ended }) => ended));
    expect(new Set(bridges.flatMap(({ lines }) => lines))).toEqual(new Set(["token access-1"]));
    expect(worker.asked).toEqual(["refresh"]);
  });

  it("open one browser tab in all, and all have the token once a person has signed in", async () => {
    const bridges = Array.from({ length: 10 }, () =>
      bridge(`say((await access.token({ interactive: true })).outcome);`),
    );
    // Those whose first second was over before the one had registered are told to call again.
    await Promise.all(bridges.map(({ lines }) => vi.waitFor(() => expect(lines).not.toEqual([]), 20_000)));
    await vi.waitFor(() => expect(worker.count("poll")).toBeGreaterThan(0), 20_000);
    const tabs = bridges.flatMap(({ lines }) => lines.filter((line) => line.startsWith("tab ")));
    expect(tabs).toHaveLength(1);
    expect(worker.count("register")).toBe(1);
    worker.approve(tabs[0]!.slice(4));
    const available = await Promise.all(bridges.map(({ said }) => said("available")));
    expect(new Set(available)).toEqual(new Set(["available access-2"]));
  });
});

describe("the copy that opened the browser is killed (row 24)", () => {
  it("and the next one gets the tokens, without a call and without another tab", async () => {
    const first = bridge(`await access.token({ interactive: true });`);
    const tab = await first.said("tab ");
    await expect.poll(() => worker.count("poll"), { timeout: 10_000 }).toBeGreaterThan(0);
    first.kill();
    await first.ended;
    // As a host starts it: nobody has called a tool yet.
    const second = bridge(`say((await access.token({ interactive: false })).outcome);`);
    await second.said("unavailable");
    worker.approve(tab.slice(4));
    expect(await second.said("available")).toBe("available access-2");
    expect(second.lines.filter((line) => line.startsWith("tab "))).toEqual([]);
    expect((await state().read()).pendingSignIn).toBeUndefined();
  });
});

describe("a folder that can't be written to", () => {
  it("lets one process sign in all the same, with one tab for calls at the same time", async () => {
    // The tests may run as root, who may write anywhere but where a file stands in the way.
    const file = join(folder, "file");
    writeFileSync(file, "");
    const one = bridge(
      `const calls = [1, 2, 3].map(() => access.token({ interactive: true }));
       say(...(await Promise.all(calls)).map((answer) => answer.outcome));`,
      file,
    );
    expect(await one.said("sign-in")).toBe("sign-in sign-in sign-in");
    const tabs = one.lines.filter((line) => line.startsWith("tab "));
    expect(tabs).toHaveLength(1);
    worker.approve(tabs[0]!.slice(4));
    expect(await one.said("available")).toBe("available access-2");
  });
});
