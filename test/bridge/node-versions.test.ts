/**
 * The built bridge under the versions of Node.js that hosts choose (row 30): it starts, calls fail with a sentence, and
 * an event is pushed. Under each of them `localhost` is a server on IPv4 alone (row 28).
 */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterEach, expect, test, vi } from "vitest";
import { StreamServer } from "../../local-mcp/src/channel/testing/stream-server.ts";
import { BRIDGE, type Bridge, startBridge, textsOf } from "./support/bridge.ts";
import { Home, signedIn } from "./support/home.ts";

const DOWNLOAD_MS = 120_000;

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

/** A program of that version, from npm's `node` package; null without a registry to get it from. */
async function nodeOf(version: string): Promise<string | null> {
  const args = ["exec", "--yes", "--prefer-offline", "--package", `node@${version}`, "--", "node", "-p"];
  const found = await promisify(execFile)("npm", [...args, "process.execPath"], { timeout: DOWNLOAD_MS }).catch(
    () => null,
  );
  return found && found.stdout.trim().split("\n").at(-1)!;
}

async function startedWith(node: string, url: string): Promise<Bridge> {
  const home = new Home();
  open.push(() => home.dispose());
  home.leave(url, signedIn("token-1"));
  const bridge = await startBridge(url, { home, node });
  open.push(() => bridge.close());
  return bridge;
}

test.for(["18.20.8", "20", "22"])("under Node.js %s", { timeout: DOWNLOAD_MS + 60_000 }, async (version, { skip }) => {
  const node = await nodeOf(version);
  if (node === null) return skip(`Node.js ${version} can't be had from the npm registry here`);
  const events = new StreamServer();
  const { port } = new URL(await events.start());
  open.push(() => events.stop());
  const bridge = await startedWith(node, `http://localhost:${port}`);
  expect((await bridge.client.listTools()).tools.map(({ name }) => name)).toContain("get_pending_status");
  const answer = await bridge.call("get_pending_status");
  expect(answer.isError).toBe(true);
  expect(textsOf(answer)[0]).toContain("There is no MCP endpoint");
  await vi.waitFor(() => expect(events.listeners).toBe(1), 10_000);
  events.add();
  await vi.waitFor(
    () => expect(bridge.notifications.map(({ method }) => method)).toContain("notifications/claude/channel"),
    5_000,
  );
  expect(bridge.stderr()).not.toMatch(/error|warning/i);
});

test("an older Node.js is told so in a sentence", { timeout: DOWNLOAD_MS + 60_000 }, async ({ skip }) => {
  const node = await nodeOf("16.20.2");
  if (node === null) return skip("Node.js 16 can't be had from the npm registry here");
  const ended = await promisify(execFile)(node, [BRIDGE]).catch((error) => error);
  expect([ended.code, ended.stdout, ended.stderr]).toEqual([
    1,
    "",
    "github-webhook-mcp: Node.js 18.17 or newer is needed; this is v16.20.2.\n",
  ]);
});
