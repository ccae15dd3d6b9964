/** The commands as a person or a client starts them: processes of their own, with a home directory of their own. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { json, OAuthWorker } from "../access/testing/oauth-worker.ts";
import { openStateFile } from "../state/state-file.ts";

const MAIN = fileURLToPath(new URL("../main.ts", import.meta.url));

let worker: OAuthWorker;
let home: string;

beforeEach(async () => {
  worker = await OAuthWorker.start();
  home = mkdtempSync(join(tmpdir(), "bridge-home-"));
});
afterEach(async () => {
  await worker.close();
  rmSync(home, { recursive: true, force: true });
});

/** Starts a command; no program to open a browser is in its path. */
function start(args: string[], url = worker.url) {
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: { PATH: home, HOME: home, WEBHOOK_WORKER_URL: url },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) child[name].on("data", (text) => (said[name] += text));
  return { said, code: new Promise<number | null>((done) => child.on("close", done)) };
}

const state = () => openStateFile(join(home, ".github-webhook-mcp"), worker.url);
const pageOf = async (said: { stdout: string }) =>
  await vi.waitFor(() => /Open (\S+)/.exec(said.stdout)?.[1] ?? Promise.reject(new Error("no page yet")), 10_000);

describe("login", () => {
  it("names the page and its code, and waits until somebody has signed in there", async () => {
    const { said, code } = start(["login"]);
    const page = await pageOf(said);
    expect(said.stdout).toMatch(/the code [0-9A-Z]{4}-[0-9A-Z]{4}/);
    worker.approve(page);
    expect(await code).toBe(0);
    expect(said.stdout).toContain(`Signed in at ${worker.url}.`);
    // That no browser could be opened is no more than a warning.
    expect(said.stderr).toContain("could not be opened");
    expect((await state().read()).tokens?.accessToken).toBe("access-2");
    expect((await start(["login"]).code) === 0 && worker.count("register")).toBe(1);
  });

  it("ends with 1 where it was denied, or the Worker can't be reached", async () => {
    const { said, code } = start(["login"]);
    await pageOf(said);
    worker.fault = (_, response) => {
      json(response, 400, { error: "access_denied" });
      return true;
    };
    expect(await code).toBe(1);
    expect(said.stderr).toContain("denied");
    const { url } = worker;
    await worker.close();
    worker = await OAuthWorker.start();
    const nowhere = start(["login"], url);
    expect(await nowhere.code).toBe(1);
    expect(nowhere.said.stderr).toContain("connection refused");
  });
});

describe("logout", () => {
  it("ends the grant at the Worker and forgets the sign-in, once", async () => {
    worker.clients.add("c");
    worker.refreshTokens.add("r");
    const tokens = { accessToken: "a", refreshToken: "r", receivedAt: Date.now(), expiresInSeconds: 3_600 };
    await state().update(() => ({ client: { clientId: "c" }, tokens }));
    const first = start(["logout"]);
    expect(await first.code).toBe(0);
    expect(first.said.stdout).toBe(`Signed out of ${worker.url}.\n`);
    expect(worker.refreshTokens.size).toBe(0);
    expect(await state().read()).toEqual({ client: { clientId: "c" } });
    const second = start(["logout"]);
    expect(await second.code).toBe(0);
    expect(second.said.stdout).toContain("Nobody is signed in");
    expect(worker.count("revoke")).toBe(1);
  });
});

describe("without a Worker's address", () => {
  it("a command of a person says what to set, and ends", async () => {
    const { said, code } = start(["login"], "");
    expect(await code).toBe(1);
    expect(said.stderr).toContain("WEBHOOK_WORKER_URL is not set");
  });

  it("the server stays, and every call says what to set (row 27)", async () => {
    const client = new Client({ name: "tests", version: "1" });
    const placeholder = `$${"{user_config.worker_url}"}`;
    const env = { PATH: home, HOME: home, WEBHOOK_WORKER_URL: placeholder };
    await client.connect(new StdioClientTransport({ command: process.execPath, args: [MAIN], env, stderr: "ignore" }));
    try {
      const result = await client.callTool({ name: "get_pending_status", arguments: {} });
      expect(result.isError).toBe(true);
      expect(JSON.stringify(result.content)).toContain("WEBHOOK_WORKER_URL is not set");
    } finally {
      await client.close();
    }
  });
});

it("an unknown command is named, with the help", async () => {
  const { said, code } = start(["lgoin"]);
  expect(await code).toBe(2);
  expect(said.stderr).toContain('no command "lgoin"');
  expect(said.stderr).toContain("Usage:");
  expect(said.stdout).toBe("");
});
