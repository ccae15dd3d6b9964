/** The bridge behind `npx`, which stands between it and its client: it ends with the client all the same (row 31). */
import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { processes } from "../node/support/processes.ts";
import { BRIDGE } from "./support/bridge.ts";
import { Home } from "./support/home.ts";

/** What the client sends: the handshake, and a call to a Worker that is not there. */
const MESSAGES = [
  {
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "tests", version: "1" } },
  },
  { method: "notifications/initialized" },
];
/** A client that starts the bridge through npx, passes on what it says, and goes on writing to it. */
const CLIENT = `
  const { spawn } = require("node:child_process");
  const bridge = spawn("npx", ["--offline", "--no", "github-webhook-mcp"], { stdio: ["pipe", "pipe", "pipe"] });
  bridge.stdout.pipe(process.stdout);
  bridge.stderr.pipe(process.stderr);
  bridge.stdin.on("error", () => {});
  for (const message of ${JSON.stringify(MESSAGES)}) bridge.stdin.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
  let id = 2;
  setInterval(() => bridge.stdin.write(JSON.stringify({ jsonrpc: "2.0", id: id++, method: "ping" }) + "\\n"), 20);
  console.error("npx", bridge.pid);
`;

let home: Home;
let folder: string;
let client: ChildProcess;
let said: string;

beforeEach(async () => {
  home = new Home();
  // As npm installs it.
  folder = mkdtempSync(join(tmpdir(), "bridge-wrapped-"));
  const installed = join(folder, "node_modules/github-webhook-mcp");
  mkdirSync(join(folder, "node_modules/.bin"), { recursive: true });
  cpSync(join(dirname(BRIDGE), ".."), installed, { recursive: true, filter: (path) => !/\/(dist|test)$/.test(path) });
  symlinkSync("../github-webhook-mcp/server/index.js", join(folder, "node_modules/.bin/github-webhook-mcp"));

  client = spawn(process.execPath, ["-e", CLIENT], {
    cwd: folder,
    env: { ...home.env, WEBHOOK_WORKER_URL: "http://127.0.0.1:9" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  said = "";
  for (const stream of [client.stdout!, client.stderr!]) stream.on("data", (text) => (said += text));
  await vi.waitFor(() => expect(said).toContain('"id":5'), 20_000);
});
afterEach(() => {
  for (const { pid } of bridges()) process.kill(pid, "SIGKILL");
  client.kill("SIGKILL");
  home.dispose();
  rmSync(folder, { recursive: true, force: true });
});

/** The process of the bridge itself, whoever is its parent by now. */
const bridges = () =>
  processes().filter(({ command }) => command.includes(`${folder}/node_modules/.bin/github-webhook-mcp`));

test("it is gone within two seconds of kill -9 for the client, which was writing to it", async () => {
  expect(bridges()).toHaveLength(1);
  client.kill("SIGKILL");
  await vi.waitFor(() => expect(bridges()).toEqual([]), { timeout: 2_500, interval: 50 });
});

test("it is gone within two seconds of kill -9 for npx, which is all that the client knows", async () => {
  expect(bridges()).toHaveLength(1);
  process.kill(Number(/npx (\d+)/.exec(said)?.[1]), "SIGKILL");
  await vi.waitFor(() => expect(bridges()).toEqual([]), { timeout: 2_500, interval: 50 });
});
