import type { Client } from "@modelcontextprotocol/client";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FakeStores } from "../inbox/testing/fake-store.ts";
import { pack } from "../payload/codec.ts";
import { McpService } from "./service.ts";
import { callerOf, connect, type Era, fetchTo } from "./testing/connect.ts";
import { UNTRUSTED } from "./tools/tool.ts";

const T = Date.UTC(2026, 10, 30);

let stores: FakeStores;
let service: McpService;
const clients: Client[] = [];

beforeEach(() => {
  stores = new FakeStores((text) => pack(new TextEncoder().encode(text)));
  service = new McpService({ stores, publicUrl: "https://hooks.example", version: "1.2.3" });
});

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

async function open(era: Era, caller = callerOf([1, 2])): Promise<Client> {
  const client = await connect(service, caller, era);
  clients.push(client);
  return client;
}

interface Called {
  isError: boolean;
  texts: string[];
  /** The first text item. */
  json: unknown;
  structured: Record<string, unknown>;
}

async function call(client: Client, name: string, args: Record<string, unknown> = {}): Promise<Called> {
  const result = await client.callTool({ name, arguments: args });
  const texts = result.content.map((item) => (item.type === "text" ? item.text : ""));
  return {
    isError: result.isError === true,
    texts,
    json: result.isError ? undefined : JSON.parse(texts[0]!),
    structured: result.structuredContent as Record<string, unknown>,
  };
}

describe.each(["2025", "2026"] as const)("a client of %s", (era) => {
  it("sees the server's name, version and instructions, and a subscription only where it can work", async () => {
    const client = await open(era);
    expect(client.getServerVersion()).toMatchObject({ name: "github-webhook-mcp", version: "1.2.3" });
    expect(client.getInstructions()).toContain("mark_processed");
    expect(client.getServerCapabilities()?.resources?.subscribe).toBe(era === "2026" ? true : undefined);
  });

  it("reads the status as one text item, in the compatible order of keys", async () => {
    stores.store(1).add({ id: "a", type: "push", receivedAt: T });
    stores.store(2).add({ id: "b", type: "issues", receivedAt: T + 1 });
    const { texts, structured } = await call(await open(era), "get_pending_status");
    expect(texts).toEqual([
      JSON.stringify(
        { pending_count: 2, latest_received_at: "2026-11-30T00:00:00.001Z", types: { issues: 1, push: 1 } },
        null,
        2,
      ),
    ]);
    expect(structured).toMatchObject({ pending_count: 2, cursor: expect.stringMatching(/^s1~/) });
  });

  it("says in the status's one item what a store dropped and which gave no answer", async () => {
    stores.store(1).dropped = 4;
    stores.store(2).failing = true;
    const { json, structured, texts } = await call(await open(era), "get_pending_status");
    const said = { dropped: 4, partial: true, unavailable: [{ account_id: 2, login: "account-2" }] };
    expect(json).toEqual({ pending_count: 0, latest_received_at: null, types: {}, ...said });
    expect(structured).toMatchObject(said);
    expect(texts).toHaveLength(1);
  });

  it("lists summaries as a bare array, and says the rest in a second item and in structured content alike", async () => {
    for (let i = 0; i < 3; i++) stores.store((i % 2) + 1).add({ id: `e${i}`, receivedAt: T + i });
    const client = await open(era);
    const first = await call(client, "list_pending_events", { limit: 2 });
    expect(first.json).toMatchObject([{ id: "e2" }, { id: "e1" }]);
    expect(first.texts[0]).toBe(JSON.stringify(first.structured.events, null, 2));
    const cursor = first.structured.next_cursor as string;
    expect(first.structured).toMatchObject({ next_cursor: expect.any(String), notes: [UNTRUSTED] });
    expect(first.texts.slice(1)).toEqual([`next_cursor: ${cursor}\n${UNTRUSTED}`]);
    const second = await call(client, "list_pending_events", { limit: 2, cursor });
    expect(second.json).toMatchObject([{ id: "e0" }]);
    expect(second.structured.next_cursor).toBeUndefined();
  });

  it("names a store that gave no answer in both forms", async () => {
    stores.store(2).failing = true;
    const { texts, structured } = await call(await open(era), "list_pending_events");
    expect(structured).toMatchObject({ partial: true, unavailable: [{ account_id: 2, login: "account-2" }] });
    expect(texts[1]).toContain("partial: true. No answer from account-2 (account 2).");
  });

  it("answers an error, never an all-clear, when no store answers", async () => {
    for (const id of [1, 2]) stores.store(id).failing = true;
    const client = await open(era);
    for (const name of ["get_pending_status", "list_pending_events", "get_webhook_events"]) {
      const { isError, texts } = await call(client, name);
      expect(isError).toBe(true);
      expect(texts[0]).toContain("unknown, not absent");
    }
  });

  it("shows a whole event, and a part of it by path", async () => {
    stores.store(2).add({ id: "b", receivedAt: T, payload: '{"issue":{"body":"text","labels":[1,2]}}' });
    const client = await open(era);
    const whole = await call(client, "get_event", { event_id: "b" });
    const event = {
      id: "b",
      type: "issues",
      payload: { issue: { body: "text", labels: [1, 2] } },
      received_at: "2026-11-30T00:00:00.000Z",
      processed: false,
      trigger_status: null,
      last_triggered_at: null,
    };
    expect(whole.texts[0]).toBe(JSON.stringify(event, null, 2));
    expect(whole.structured).toEqual({ ...event, notes: [UNTRUSTED] });
    const part = await call(client, "get_event", { event_id: "b", path: "/issue/labels" });
    expect(part.json).toEqual({ ...event, payload: [1, 2], path: "/issue/labels" });
  });

  it("marks one, several and everything up to a cursor", async () => {
    const ids = ["a", "b", "c", "d", "e"];
    for (const [i, id] of ids.entries()) stores.store((i % 2) + 1).add({ id, receivedAt: T + i });
    const client = await open(era);
    const one = await call(client, "mark_processed", { event_id: "a" });
    expect(one.texts).toEqual(['{"success":true,"event_id":"a","purged":0}']);
    expect(one.structured).toEqual({ success: true, event_id: "a", purged: 0 });
    const two = await call(client, "mark_processed", { event_ids: ["b", "a"] });
    expect(two.json).toEqual({ success: true, event_ids: ["b", "a"], marked: 1, purged: 0 });
    const listed = await call(client, "list_pending_events");
    const [, d] = listed.structured.events as { cursor: string }[];
    const upTo = await call(client, "mark_processed", { up_to_cursor: d!.cursor });
    expect(upTo.json).toMatchObject({ success: true, marked: 2 });
    expect((await call(client, "list_pending_events")).json).toMatchObject([{ id: "e" }]);
  });

  it("waits for what comes, and gives the cursor to go on with", async () => {
    const client = await open(era);
    const waiting = call(client, "wait_for_events", { timeout_seconds: 20 });
    while (stores.store(2).listeners === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    stores.store(2).add({ id: "new", receivedAt: T });
    const { json, structured } = await waiting;
    expect(json).toMatchObject([{ id: "new" }]);
    const later = await call(client, "wait_for_events", { cursor: structured.next_cursor, timeout_seconds: 0 });
    expect(later.json).toEqual([]);
    expect(later.texts[1]).toBe(`next_cursor: ${later.structured.next_cursor}`);
  });

  it("stops waiting when the client has gone", async () => {
    const client = await connect(service, callerOf([1, 2]), era);
    const waiting = client.callTool({ name: "wait_for_events" });
    const outcome = expect(waiting).rejects.toThrow();
    while (stores.store(2).listeners === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    await client.close();
    await outcome;
    while (stores.store(1).listeners + stores.store(2).listeners > 0)
      await new Promise((resolve) => setTimeout(resolve, 1));
  });

  it("searches, and refuses an empty query", async () => {
    stores.store(1).add({ id: "a", receivedAt: T, summary: { title: "needle" } });
    const client = await open(era);
    expect((await call(client, "search_events", { query: "needle" })).json).toMatchObject([{ id: "a" }]);
    expect(await call(client, "search_events", { query: " " })).toMatchObject({
      isError: true,
      texts: ["query must not be empty: say what to look for."],
    });
  });

  it.each([
    ["list_pending_events", { limit: 1.5 }, "limit must be a whole number from 1 to 100"],
    ["list_pending_events", { limit: 0 }, "limit must be a whole number from 1 to 100"],
    ["list_pending_events", { cursor: "nonsense" }, "This cursor can't be read"],
    ["list_pending_events", { repo: "nameonly" }, 'repo must be "owner/name"'],
    ["list_pending_events", { types: [] }, "types must name 1 to 100 event types"],
    ["get_event", { event_id: "nope" }, "Event nope not found"],
    ["mark_processed", { event_id: "nope" }, "Event nope not found"],
    ["mark_processed", {}, "Give exactly one of event_id, event_ids and up_to_cursor."],
    ["mark_processed", { event_id: "a", up_to_cursor: "s1" }, "Give exactly one of"],
    ["mark_processed", { up_to_cursor: "s2" }, "This cursor can't be read"],
    ["wait_for_events", { timeout_seconds: 51 }, "timeout_seconds must be from 0 to 50"],
  ])("hears from %s %j what to do", async (name, args, message) => {
    const { isError, texts } = await call(await open(era), name, args);
    expect(isError).toBe(true);
    expect(texts[0]).toContain(message);
  });

  it("reads the pending events and one event as resources", async () => {
    stores.store(1).add({ id: "a", receivedAt: T, payload: '{"x":1}' });
    const client = await open(era);
    expect((await client.listResources()).resources).toMatchObject([{ uri: "github-webhook://events" }]);
    const templates = await client.listResourceTemplates();
    expect(templates.resourceTemplates).toMatchObject([{ uriTemplate: "github-webhook://event/{id}" }]);
    const read = async (uri: string) => {
      const [content] = (await client.readResource({ uri })).contents;
      return JSON.parse(content && "text" in content ? content.text : "");
    };
    expect(await read("github-webhook://events")).toMatchObject({ events: [{ id: "a" }], notes: [UNTRUSTED] });
    expect(await read("github-webhook://event/a")).toMatchObject({ id: "a", payload: { x: 1 }, notes: [UNTRUSTED] });
    await expect(read("github-webhook://event/none")).rejects.toThrow(/not found/i);
  });

  it("gets the triage prompt", async () => {
    const client = await open(era);
    const { messages } = await client.getPrompt({ name: "triage_pending", arguments: { repo: "acme/web" } });
    expect(messages).toMatchObject([{ content: { text: expect.stringContaining('"acme/web"') } }]);
  });

  it("may not mark without the scope for it, nor read without the other", async () => {
    stores.store(1).add({ id: "a", receivedAt: T });
    const reader = await open(era, callerOf([1], ["events:read"]));
    await call(reader, "get_pending_status");
    await expect(call(reader, "mark_processed", { event_id: "a" })).rejects.toThrow();
    expect(stores.store(1).calls).not.toContain("mark");
    const writer = await open(era, callerOf([1], ["events:write"]));
    await expect(call(writer, "list_pending_events")).rejects.toThrow();
    await expect(writer.readResource({ uri: "github-webhook://events" })).rejects.toThrow();
    expect(stores.store(1).calls).not.toContain("list");
  });
});

it("stops waiting when a 2026 client cancels the call", async () => {
  const client = await open("2026");
  const cancel = new AbortController();
  const outcome = expect(client.callTool({ name: "wait_for_events" }, { signal: cancel.signal })).rejects.toThrow();
  while (stores.store(2).listeners === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  cancel.abort();
  await outcome;
  while (stores.store(1).listeners + stores.store(2).listeners > 0)
    await new Promise((resolve) => setTimeout(resolve, 1));
});

describe("subscriptions/listen", () => {
  it("tells every listener that the events have changed, and lets go of the stores with the last of them", async () => {
    const listeners = [await open("2026"), await open("2026")];
    const updates: string[] = [];
    const subscriptions = [];
    for (const [i, client] of listeners.entries()) {
      client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
        updates.push(`${i} ${params.uri}`);
      });
      subscriptions.push(await client.listen({ resourceSubscriptions: ["github-webhook://events"] }));
    }
    expect(stores.store(1).listeners).toBe(1);
    stores.store(1).add({ id: "a", receivedAt: T });
    while (updates.length < 2) await new Promise((resolve) => setTimeout(resolve, 1));
    expect(updates.sort()).toEqual(["0 github-webhook://events", "1 github-webhook://events"]);
    await subscriptions[0]!.close();
    expect(stores.store(1).listeners).toBe(1);
    await subscriptions[1]!.close();
    while (stores.store(1).listeners + stores.store(2).listeners > 0)
      await new Promise((resolve) => setTimeout(resolve, 1));
  });

  it("listens with the access of whoever came last", async () => {
    const all = await open("2026");
    const one = await open("2026", callerOf([2]));
    let updates = 0;
    all.setNotificationHandler("notifications/resources/updated", () => {
      updates++;
    });
    await all.listen({ resourceSubscriptions: ["github-webhook://events"] });
    expect([1, 2].map((id) => stores.store(id).listeners)).toEqual([1, 1]);
    await one.listen({ resourceSubscriptions: ["github-webhook://events"] });
    while (stores.store(1).listeners > 0) await new Promise((resolve) => setTimeout(resolve, 1));
    stores.store(2).add({ id: "a", receivedAt: T });
    while (updates === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  });

  it("comes back to a store that was reset", async () => {
    const client = await open("2026");
    let updates = 0;
    client.setNotificationHandler("notifications/resources/updated", () => {
      updates++;
    });
    await client.listen({ resourceSubscriptions: ["github-webhook://events"] });
    stores.store(1).reset();
    while (updates === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(stores.store(1).listeners).toBe(1);
  });
});

describe("the size of an answer", () => {
  it("cuts a huge payload to 400,000 characters, says what is missing, and gives it by path", async () => {
    const commits = Array.from({ length: 20_000 }, (_, i) => ({ id: i, message: `commit ${i}` }));
    stores.store(1).add({ id: "big", receivedAt: T, payload: JSON.stringify({ ref: "refs/heads/main", commits }) });
    const client = await open("2026");
    const { texts, structured, json } = await call(client, "get_event", { event_id: "big" });
    expect(texts[0]!.length).toBeLessThanOrEqual(400_000);
    expect(json).toMatchObject({ truncated: true, payload: { ref: "refs/heads/main" } });
    expect(structured.notes).toMatchObject([expect.stringContaining("/commits"), UNTRUSTED]);
    expect(texts[1]).toContain("https://hooks.example/api/event?id=big");
    const part = await call(client, "get_event", { event_id: "big", path: "/commits/19999" });
    expect(part.json).toMatchObject({ payload: { id: 19_999 } });
  });

  it("keeps get_webhook_events within its budget, and its pages complete", async () => {
    const payload = JSON.stringify({ text: "x".repeat(60_000), list: Array.from({ length: 2_000 }, (_, i) => i) });
    for (let i = 0; i < 12; i++) stores.store((i % 2) + 1).add({ id: `e${i}`, receivedAt: T + i, payload });
    const client = await open("2026");
    const ids: string[] = [];
    for (let cursor: unknown; ; ) {
      const { texts, json, structured } = await call(client, "get_webhook_events", { limit: 100, cursor });
      expect(texts[0]!.length).toBeLessThanOrEqual(400_000);
      ids.push(...(json as { id: string }[]).map(({ id }) => id));
      cursor = structured.next_cursor;
      if (cursor === undefined) break;
      expect(texts[1]).toContain("call again with next_cursor");
    }
    expect(ids).toEqual(Array.from({ length: 12 }, (_, i) => `e${11 - i}`));
  });

  it("survives a payload that is 100,000 levels deep", async () => {
    const payload = `{"deep":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
    stores.store(1).add({ id: "deep", receivedAt: T, payload });
    const { json } = await call(await open("2026"), "get_event", { event_id: "deep" });
    expect(json).toMatchObject({ id: "deep", truncated: true });
  });
});

describe("over HTTP", () => {
  it("answers a call without its scope with 403 and what to ask for", async () => {
    const response = await fetchTo(service, callerOf([1], ["events:read"]))("https://hooks.example/mcp", {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "application/json, text/event-stream" },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "mark_processed", arguments: { event_id: "a" } },
      }),
    });
    expect(response.status).toBe(403);
    const challenge = response.headers.get("www-authenticate");
    expect(challenge).toContain('error="insufficient_scope"');
    expect(challenge).toContain('scope="events:read events:write"');
    expect(challenge).toContain('resource_metadata="https://hooks.example/.well-known/oauth-protected-resource/mcp"');
  });

  it("streams a waiting answer from the start, so that hanging up ends it", async () => {
    const answer = await fetchTo(service, callerOf([1]))("https://hooks.example/mcp", {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": "tools/call",
        "Mcp-Name": "wait_for_events",
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: {
          name: "wait_for_events",
          arguments: { timeout_seconds: 0 },
          _meta: {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
          },
        },
      }),
    });
    expect(answer.headers.get("content-type")).toBe("text/event-stream");
    expect(await answer.text()).toContain("next_cursor");
  });
});

describe("bad requests", () => {
  const post = (body: string, headers: Record<string, string> = {}) =>
    fetchTo(service, callerOf([1]))("https://hooks.example/mcp", {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "application/json, text/event-stream", ...headers },
      body,
    });

  it.each([
    ["no JSON", "{", {}],
    ["not an object", "[1]", {}],
    [
      "deep nesting",
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${"[".repeat(99_999)}${"]".repeat(99_999)}}`,
      {},
    ],
    [
      "an unknown protocol version",
      '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
      { "MCP-Protocol-Version": "1999-01-01" },
    ],
    ["another content type", "{}", { "Content-Type": "text/plain" }],
  ])("refuses %s with a client error", async (_, body, headers) => {
    const response = await post(body, headers);
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect(response.status).toBeLessThan(500);
    await response.body?.cancel();
  });
});
