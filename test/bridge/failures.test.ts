/**
 * A Worker that is not well, or not there: a bridge starts all the same, says in each case what to do, and never makes
 * an all-clear of it.
 */
import { createServer, type Server } from "node:net";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type Behaviour, HttpWorker, result, status } from "../../local-mcp/src/worker/testing/http-worker.ts";
import { reservePort } from "../../scripts/start/wrangler.mjs";
import { type Bridge, startBridge, textsOf } from "./support/bridge.ts";
import { Home, signedIn } from "./support/home.ts";

const PENDING = { pending_count: 3, latest_received_at: "2026-12-01T10:00:00.000Z", types: { issues: 2, push: 1 } };
const html = { "Content-Type": "text/html" };

let home: Home;
let worker: HttpWorker;
let bridge: Bridge | undefined;

beforeEach(async () => {
  home = new Home();
  worker = await HttpWorker.start();
});
afterEach(async () => {
  await bridge?.close();
  bridge = undefined;
  await worker.close();
  home.dispose();
});

/** A bridge that has been signed in before. The channel is off: these tests count what the proxy asks. */
async function start(workerUrl = worker.url, env: Record<string, string> = {}): Promise<Bridge> {
  home.leave(workerUrl, signedIn());
  bridge = await startBridge(workerUrl, { home, env: { WEBHOOK_CHANNEL: "0", ...env } });
  return bridge;
}

/** Calls the status, and expects an error that says this, within six seconds. */
async function expectError(sentence: RegExp): Promise<void> {
  const started = performance.now();
  const answer = await bridge!.call("get_pending_status");
  expect(performance.now() - started).toBeLessThan(6_500);
  expect(answer.isError).toBe(true);
  expect(textsOf(answer)).toEqual([expect.stringMatching(sentence)]);
  expect(JSON.stringify(answer)).not.toMatch(/hookSpecificOutput|pending_count|no pending/i);
}

const calls =
  (behaviour: Behaviour): Behaviour =>
  (call) =>
    call.method === "tools/call" && behaviour(call);

test.each<[string, Behaviour, RegExp]>([
  ["429", (call) => status(call, 429, { "Retry-After": "30" }), /HTTP 429.*30 seconds/],
  ["500", (call) => status(call, 500), /HTTP 500.*Try again/],
  ["HTML", (call) => status(call, 200, html, "<title>Captive portal</title>"), /web page.*WEBHOOK_WORKER_URL/],
])("%s instead of an answer", async (_, behaviour, sentence) => {
  worker.behaviour = behaviour;
  await start();
  await expectError(sentence);
  worker.behaviour = calls((call) => behaviour(call));
  await expectError(sentence);
  // Nothing of it lasts.
  worker.behaviour = () => false;
  expect((await bridge!.call("echo")).isError).toBeFalsy();
});

const json = { "Content-Type": "application/json" };
const ODD: Record<string, Behaviour> = {
  "a connection that is reset": (call) => {
    call.response.socket?.resetAndDestroy();
    return true;
  },
  "half an answer": (call) => {
    call.response.writeHead(200, { ...json, "Content-Length": "1000" });
    call.response.write('{"jsonrpc":"2.0","id":');
    setTimeout(() => call.response.destroy(), 50);
    return true;
  },
  "a stream of nonsense": (call) => {
    call.response.writeHead(200, { "Content-Type": "text/event-stream" });
    call.response.end("data: {not json\n\nevent: message\ndata: 7\n\n\u0000\n\n");
    return true;
  },
  "an answer to another request": (call) =>
    status(
      call,
      200,
      json,
      JSON.stringify({ jsonrpc: "2.0", id: "other", result: { resultType: "complete", content: [] } }),
    ),
  "a result that is none": (call) =>
    status(call, 200, json, JSON.stringify({ jsonrpc: "2.0", id: call.id, result: 7 })),
  "a result of another protocol": (call) =>
    status(call, 200, json, JSON.stringify({ jsonrpc: "2.0", id: call.id, result: { content: [] } })),
  "no content": (call) => status(call, 204),
  "an accepted nothing": (call) => status(call, 202),
  text: (call) => status(call, 200, { "Content-Type": "text/plain" }, "pending_count: 0"),
  "an error without a message": (call) => status(call, 400, json, '{"jsonrpc":"2.0","id":1,"error":{}}'),
};

test("whatever the Worker answers, a call ends as an error, and the next one works", { timeout: 60_000 }, async () => {
  await start();
  await bridge!.client.listTools();
  for (const [name, behaviour] of Object.entries(ODD)) {
    worker.behaviour = calls(behaviour);
    const started = performance.now();
    const answer = await bridge!.call("get_pending_status");
    expect(answer, name).toMatchObject({ isError: true });
    expect(textsOf(answer)[0], name).toContain("says nothing about your events");
    expect(performance.now() - started, name).toBeLessThan(6_500);
    worker.behaviour = () => false;
    expect((await bridge!.call("echo")).isError, `after ${name}`).toBeFalsy();
  }
  expect(bridge!.stderr()).not.toContain("Something went wrong");
});

test("401 for ever costs two calls, the renewal between them, and no loop", async () => {
  let renewed = 0;
  worker.behaviour = (call) => status(call, 401);
  worker.elsewhere = (path, response) => {
    if (path !== "/oauth/token") return response.writeHead(404).end();
    renewed++;
    response.writeHead(200, { "Content-Type": "application/json" });
    response.end(
      JSON.stringify({
        access_token: `access-${renewed}`,
        refresh_token: `refresh-${renewed}`,
        token_type: "Bearer",
        expires_in: 3_600,
      }),
    );
  };
  await start();
  for (let i = 0; i < 3; i++) await expectError(/refuses a sign-in.*logout/);
  expect(worker.seen.map(({ token }) => token)).toEqual(["access-token", "access-1"]);
  expect(renewed).toBe(1);
});

test("a Worker that is down at the start, and comes up later", async () => {
  const port = await reservePort(0);
  const url = `http://127.0.0.1:${port}`;
  await start(url);
  expect((await bridge!.client.listTools()).tools).toHaveLength(7);
  await expectError(/doctor/);
  const late = await HttpWorker.start(port);
  expect((await bridge!.call("echo")).isError).toBeFalsy();
  await late.close();
});

test("an address whose packets are dropped", { timeout: 30_000 }, async () => {
  await start("https://10.255.255.1");
  expect(bridge!.startedInMs).toBeLessThan(2_000);
  for (let prompt = 0; prompt < 2; prompt++) await expectError(/10\.255\.255\.1/);
});

test("a name that can't be resolved", async () => {
  await start("https://worker.invalid");
  await expectError(/worker\.invalid/);
});

describe("a Worker that says nothing", () => {
  let silent: Server;
  let url: string;
  beforeEach(async () => {
    silent = createServer(() => {});
    await new Promise<void>((done) => silent.listen(0, "127.0.0.1", done));
    url = `http://127.0.0.1:${(silent.address() as { port: number }).port}`;
  });
  afterEach(() => void silent.close());

  test("keeps neither initialize nor the lists waiting, and the status five seconds", { timeout: 60_000 }, async () => {
    await start(url);
    expect(bridge!.startedInMs).toBeLessThan(2_000);
    const started = performance.now();
    expect((await bridge!.client.listTools()).tools).toHaveLength(7);
    expect(performance.now() - started).toBeLessThan(2_000);
    for (let prompt = 0; prompt < 2; prompt++) await expectError(/no answer within (5|10) seconds/);
  });

  test("does so before anybody has signed in, too", async () => {
    bridge = await startBridge(url, { home, env: { WEBHOOK_CHANNEL: "0" } });
    const started = performance.now();
    const answer = await bridge.call("get_pending_status");
    expect(performance.now() - started).toBeLessThan(2_000);
    expect(answer.isError).toBe(true);
  });
});

test("lists are the last known ones while the Worker is slow, and the client is told when they differ", async () => {
  home.leave(worker.url, {
    ...signedIn(),
    lists: {
      tools: [{ name: "of_last_time", inputSchema: { type: "object" } }],
      prompts: [],
      resources: [],
      resourceTemplates: [],
      instructions: "Words of last time.",
    },
  });
  let answer = () => {};
  worker.behaviour = (call) => {
    if (call.method !== "server/discover") return false;
    answer = () =>
      result(call, { supportedVersions: ["2026-07-28"], capabilities: { tools: {} }, ttlMs: 0, cacheScope: "private" });
    return true;
  };
  bridge = await startBridge(worker.url, { home, env: { WEBHOOK_CHANNEL: "0" } });
  expect(bridge.client.getInstructions()).toBe("Words of last time.");
  expect((await bridge.client.listTools()).tools.map(({ name }) => name)).toEqual(["of_last_time"]);
  await vi.waitFor(() => expect(worker.count("server/discover")).toBe(1));
  worker.behaviour = () => false;
  answer();
  await vi.waitFor(() =>
    expect(bridge!.notifications.map(({ method }) => method)).toContain("notifications/tools/list_changed"),
  );
  expect((await bridge.client.listTools()).tools.map(({ name }) => name)).toEqual(["echo"]);
  await vi.waitFor(() => expect(home.state(worker.url).lists?.tools).toMatchObject([{ name: "echo" }]));
});

test("what one Worker listed and gave is not shown to another", async () => {
  const other = await HttpWorker.start();
  worker.behaviour = calls((call) => result(call, { content: [], structuredContent: PENDING }));
  await start();
  await bridge!.call("get_pending_status");
  await bridge!.close();
  bridge = await startBridge(other.url, { home, env: { WEBHOOK_CHANNEL: "0" } });
  await bridge.call("get_pending_status");
  expect(other.seen.map(({ token }) => token).filter((token) => token !== "")).toEqual([]);
  await other.close();
});
