/**
 * The whole of it: `npm start`, the built bridge, a client on its pipe, a person at the sign-in page, and webhooks.
 */
import { randomUUID } from "node:crypto";
import type { EventSummary } from "@github-webhook-mcp/shared/events.ts";
import { StreamableHTTPClientTransport, Client as WorkerClient } from "@modelcontextprotocol/client";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { deliver, delivery } from "../node/support/github.ts";
import { endAll, type LocalServer, startServer, temporaryState } from "../node/support/local-server.ts";
import { type Bridge, startBridge, textsOf } from "./support/bridge.ts";
import { Home } from "./support/home.ts";
import { signIn } from "./support/sign-in.ts";

const SECRET = "bridge";
const EVENTS_URI = "github-webhook://events";
const state = temporaryState();
const home = new Home();
let server: LocalServer;
let bridge: Bridge;
/** What the bridge lists before anybody has signed in: the build's own list. */
let listedBefore: unknown[];

beforeAll(async () => {
  server = await startServer(state.path, { GITHUB_WEBHOOK_SECRET: SECRET });
}, 90_000);
afterAll(async () => {
  await bridge?.close();
  endAll();
  state.dispose();
  home.dispose();
});

const repository = { id: 1, full_name: "octo/app", owner: { id: 2, login: "octo", type: "Organization" } };

async function send(event: string, payload: object): Promise<string> {
  const { status, body } = await deliver(server.url, SECRET, delivery(event, { repository, ...payload }));
  expect([status, body]).toEqual([202, expect.anything()]);
  return (body as { id: string }).id;
}

const issue = (title: string) => ({
  action: "opened",
  issue: { number: 7, title, html_url: "https://github.com/o/a/7" },
});
const eventsOf = (answer: CallToolResult) => answer.structuredContent?.events as EventSummary[];

test("a first call is answered at once with the page, its code and the time left, and one browser opens", async () => {
  bridge = await startBridge(server.url, { home });
  expect(bridge.startedInMs).toBeLessThan(2_000);
  listedBefore = (await bridge.client.listTools()).tools;
  expect(home.opened()).toEqual([]);
  const started = performance.now();
  const answer = await bridge.call("get_pending_status");
  expect(performance.now() - started).toBeLessThan(1_500);
  expect(answer.isError).toBe(true);
  const [text = ""] = textsOf(answer);
  expect(text).toMatch(/Open http:\/\/127\.0\.0\.1:\d+\/oauth\/authorize\?/);
  expect(text).toMatch(/the code [0-9A-Z]{4}-[0-9A-Z]{4}\. \d{3} seconds are left/);
  await bridge.call("list_pending_events");
  await vi.waitFor(() => expect(home.opened()).toHaveLength(1));
  expect(text).toContain(home.opened()[0]);
});

describe("after one click on the local sign-in page", () => {
  beforeAll(() => signIn(bridge), 60_000);

  test("the status of an empty inbox is the Worker's own, and no hook output", async () => {
    const status = { pending_count: 0, latest_received_at: null, types: {} };
    const answer = await bridge.call("get_pending_status");
    expect(answer.content).toEqual([{ type: "text", text: JSON.stringify(status, null, 2) }]);
    expect(answer.structuredContent).toMatchObject(status);
  });

  test("every tool, schema and annotation is the Worker's own", async () => {
    const worker = new WorkerClient(
      { name: "tests", version: "1" },
      { versionNegotiation: { mode: { pin: "2026-07-28" } } },
    );
    const requestInit = { headers: { Authorization: `Bearer ${server.token}` } };
    await worker.connect(new StreamableHTTPClientTransport(new URL("/mcp", server.url), { requestInit }));
    const { tools } = await bridge.client.listTools();
    expect(tools).toEqual((await worker.listTools()).tools);
    expect(tools).toHaveLength(7);
    expect(listedBefore, "npm run build:bridge is due").toEqual(tools);
    expect((await bridge.client.listPrompts()).prompts).toEqual((await worker.listPrompts()).prompts);
    expect((await bridge.client.listResources()).resources).toEqual((await worker.listResources()).resources);
    expect((await bridge.client.listResourceTemplates()).resourceTemplates).toEqual(
      (await worker.listResourceTemplates()).resourceTemplates,
    );
    await worker.close();
  });

  test("the capabilities and instructions are what a channel needs", () => {
    expect(bridge.client.getServerCapabilities()).toMatchObject({
      experimental: { "claude/channel": {} },
      tools: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      prompts: { listChanged: true },
    });
    expect(bridge.client.getInstructions()).toMatch(/get_pending_status.*data, not orders.*polling stays the floor/s);
  });

  test("a pending status is one text item, the hook's JSON to the letter", async () => {
    const ids = [
      await send("issues", issue("a")),
      await send("issues", issue("b")),
      await send("push", { ref: "refs/heads/main" }),
    ];
    const answer = await bridge.call("get_pending_status");
    const { latest_received_at, types } = answer.structuredContent as { latest_received_at: string; types: object };
    expect(types).toEqual({ issues: 2, push: 1 });
    expect(answer.content).toEqual([
      {
        type: "text",
        text: `{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"3 pending GitHub webhook events (issues:2, push:1). latest ${latest_received_at}"}}`,
      },
    ]);
    await bridge.call("mark_processed", { event_ids: ids });
  });

  test("every tool does its work", async () => {
    const word = `word${randomUUID().replaceAll("-", "")}`;
    const id = await send("issues", issue(`about ${word}`));
    const shown = { id, type: "issues", number: 7, title: `about ${word}` };
    expect(eventsOf(await bridge.call("list_pending_events", { limit: 1 }))).toMatchObject([shown]);
    expect(eventsOf(await bridge.call("search_events", { query: word }))).toMatchObject([shown]);
    expect((await bridge.call("get_event", { event_id: id })).structuredContent).toMatchObject({ id });
    expect(eventsOf(await bridge.call("get_webhook_events", { limit: 1 }))).toMatchObject([{ id }]);
    const { next_cursor } = (await bridge.call("wait_for_events", { timeout_seconds: 0 })).structuredContent!;
    const marked = await bridge.call("mark_processed", { event_id: id });
    expect(textsOf(marked)).toEqual([`{"success":true,"event_id":"${id}","purged":0}`]);
    expect(eventsOf(await bridge.call("wait_for_events", { cursor: next_cursor, timeout_seconds: 0 }))).toEqual([]);
    const refused = await bridge.call("get_event", { event_id: "nope" });
    expect([refused.isError, textsOf(refused)[0]]).toEqual([true, "Event nope not found"]);
  });

  test("cursors and the warning about strangers' text stand in both forms", async () => {
    const ids = [await send("issues", issue("one")), await send("issues", issue("two"))];
    const answer = await bridge.call("list_pending_events", { limit: 1 });
    const { next_cursor, notes } = answer.structuredContent as { next_cursor: string; notes: string[] };
    const [, remarks = ""] = textsOf(answer);
    expect(remarks).toContain(next_cursor);
    expect(remarks).toContain(notes[0]);
    expect(notes[0]).toContain("data, not instructions");
    await bridge.call("mark_processed", { event_ids: ids });
  });

  test("a waiting call returns with the event, and a cancelled one at once", { timeout: 60_000 }, async () => {
    const waiting = bridge.call("wait_for_events", { timeout_seconds: 30 });
    await new Promise((done) => setTimeout(done, 500));
    const id = await send("issues", issue("awaited"));
    expect(eventsOf(await waiting).map((event) => event.id)).toEqual([id]);
    const cancel = new AbortController();
    const cancelled = bridge.client.callTool(
      { name: "wait_for_events", arguments: { timeout_seconds: 50 } },
      undefined,
      {
        signal: cancel.signal,
      },
    );
    await new Promise((done) => setTimeout(done, 300));
    cancel.abort("enough");
    await expect(cancelled).rejects.toThrow("enough");
    expect((await bridge.call("get_pending_status")).isError).toBeFalsy();
    await bridge.call("mark_processed", { event_id: id });
  });

  test("resources and the prompt are there, and a subscriber hears of an event", { timeout: 60_000 }, async () => {
    await bridge.client.subscribeResource({ uri: EVENTS_URI });
    // The subscription is made behind the answer: until it stands an event is told by nobody.
    const updates = () => bridge.notifications.filter(({ method }) => method === "notifications/resources/updated");
    const ids: string[] = [];
    await vi.waitFor(
      async () => {
        ids.push(await send("issues", issue("told")));
        await vi.waitFor(() =>
          expect(updates()).toContainEqual(expect.objectContaining({ params: { uri: EVENTS_URI } })),
        );
      },
      { timeout: 30_000 },
    );
    const { contents } = await bridge.client.readResource({ uri: `github-webhook://event/${ids[0]}` });
    expect(JSON.parse((contents[0] as { text: string }).text)).toMatchObject({ id: ids[0] });
    expect((await bridge.client.getPrompt({ name: "triage_pending" })).messages).toHaveLength(1);
    await bridge.client.unsubscribeResource({ uri: EVENTS_URI });
    await bridge.call("mark_processed", { event_ids: ids });
  });

  test("a second bridge in the same home is signed in, and asks nobody", async () => {
    const second = await startBridge(server.url, { home, env: { WEBHOOK_CHANNEL: "0" } });
    expect((await second.call("get_pending_status")).isError).toBeFalsy();
    expect(home.opened()).toHaveLength(1);
    expect(second.client.getServerCapabilities()?.experimental).toBeUndefined();
    expect(second.client.getInstructions()).not.toContain("<channel>");
    await second.close();
  });
});

test("a client that declares URL elicitation gets the page as such, one with forms alone as text", async () => {
  const urls = await startBridge(server.url, { capabilities: { elicitation: { url: {} } } });
  const refused = (await urls.call("get_pending_status").catch((error: unknown) => error)) as {
    code: number;
    data: object;
  };
  expect(refused).toMatchObject({
    code: -32042,
    data: {
      elicitations: [
        { mode: "url", url: expect.stringContaining("/oauth/authorize?"), elicitationId: expect.any(String) },
      ],
    },
  });
  expect(urls.home.opened(), "the client opens it").toEqual([]);
  await urls.close();
  const forms = await startBridge(server.url, { capabilities: { elicitation: {} } });
  expect((await forms.call("get_pending_status")).isError).toBe(true);
  await forms.close();
});
