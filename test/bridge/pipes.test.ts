/** The bridge's pipes: only JSON-RPC on stdout whatever libraries have to say, and an end with the client, always. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { HttpWorker } from "../../local-mcp/src/worker/testing/http-worker.ts";
import { processes } from "../node/support/processes.ts";
import { BRIDGE } from "./support/bridge.ts";
import { Home, signedIn } from "./support/home.ts";

const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "tests", version: "1" } },
};
const initialized = { jsonrpc: "2.0", method: "notifications/initialized" };
const call = (id: number, name: string) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: {} },
});
const lines = (...messages: object[]) => messages.map((message) => `${JSON.stringify(message)}\n`).join("");

let home: Home;
let children: ChildProcess[];

beforeEach(() => {
  home = new Home();
  children = [];
});
afterEach(() => {
  for (const child of children) child.kill("SIGKILL");
  home.dispose();
});

function launch(workerUrl: string, options: { env?: Record<string, string>; cwd?: string; args?: string[] } = {}) {
  const [program, ...args] = options.args ?? [process.execPath, BRIDGE];
  const child = spawn(program!, args, {
    cwd: options.cwd,
    env: { ...home.env, WEBHOOK_WORKER_URL: workerUrl, ...options.env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  children.push(child);
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => (output[name] += text));
  }
  child.stdin.on("error", () => {});
  return { child, output };
}

test("every line on stdout is JSON-RPC, with debug output, traced warnings and a .env file around", async () => {
  const worker = await HttpWorker.start();
  home.leave(worker.url, signedIn());
  const cwd = mkdtempSync(join(tmpdir(), "bridge-cwd-"));
  writeFileSync(join(cwd, ".env"), "DEBUG=*\nWEBHOOK_WORKER_URL=https://elsewhere.example\n");
  const { child, output } = launch(worker.url, {
    cwd,
    env: { DEBUG: "*", NODE_DEBUG: "http,net,undici,fetch", NODE_OPTIONS: "--trace-warnings --trace-deprecation" },
  });
  child.stdin!.write(lines(initialize, initialized, call(2, "echo"), call(3, "get_pending_status")));
  await vi.waitFor(() => expect(output.stdout.trim().split("\n").length).toBeGreaterThanOrEqual(3), {
    timeout: 10_000,
  });
  child.stdin!.write("this is no JSON\n");
  child.stdin!.write(lines(call(4, "echo")));
  await vi.waitFor(() => expect(output.stdout).toContain('"id":4'), { timeout: 10_000 });
  const messages = output.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  for (const message of messages) expect(message).toMatchObject({ jsonrpc: "2.0" });
  expect(output.stderr).not.toContain("access-token");
  await worker.close();
  rmSync(cwd, { recursive: true });
});

describe("with a call under way to a Worker that does not answer", () => {
  let server: Server;
  let url: string;
  let sockets: Socket[];
  beforeEach(async () => {
    sockets = [];
    server = createServer((socket) => {
      sockets.push(socket);
      socket.on("error", () => {});
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    url = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
    home.leave(url, signedIn());
  });
  afterEach(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  /** Starts, has the handshake answered and sockets open. */
  async function busy(args?: string[]) {
    const started = launch(url, { ...(args && { args }) });
    started.child.stdin!.write(lines(initialize, initialized, call(2, "wait_for_events")));
    await vi.waitFor(() => expect(started.output.stdout).toContain('"id":1'), { timeout: 10_000 });
    await vi.waitFor(() => expect(sockets.length).toBeGreaterThan(0), { timeout: 10_000 });
    return started;
  }

  const gone = (pid: number, within: number) =>
    vi.waitFor(() => expect(processes().map((one) => one.pid)).not.toContain(pid), { timeout: within, interval: 50 });

  test("it ends within two seconds of the end of stdin", async () => {
    const { child } = await busy();
    child.stdin!.end();
    await gone(child.pid!, 2_000);
    await vi.waitFor(() => expect(child.exitCode).toBe(0));
  });

  test("it ends within two seconds of SIGTERM", async () => {
    const { child } = await busy();
    child.kill("SIGTERM");
    await gone(child.pid!, 2_000);
  });

  test("it ends within two seconds of a kill of its parent, which leaves the pipes open", async () => {
    // The shell hands its own pipes down, and is killed: their other ends are still ours.
    const { child } = await busy(["/bin/sh", "-c", `exec 3<&0; "${process.execPath}" "${BRIDGE}" <&3 & wait`]);
    const bridge = processes().find(({ parent, command }) => parent === child.pid && command.includes(BRIDGE));
    expect(bridge).toBeDefined();
    child.kill("SIGKILL");
    await gone(bridge!.pid, 2_500);
  });

  test("it ends, and does not spin, when nobody reads its pipes any more", async () => {
    const { child } = await busy();
    child.stdout!.destroy();
    child.stderr!.destroy();
    child.stdin!.write(lines({ jsonrpc: "2.0", id: 9, method: "ping" }));
    await gone(child.pid!, 2_500);
  });
});
