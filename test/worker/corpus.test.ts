/** GitHub's 329 example payloads, all the way: signed over HTTP in, and out again by every road an event can take. */
import type { EventSummary, WebhookEvent } from "@github-webhook-mcp/shared/events.ts";
import { summarizePayload } from "@github-webhook-mcp/shared/summarize.ts";
import type { Client } from "@modelcontextprotocol/client";
import { beforeAll, expect, test } from "vitest";
import { examplePayloads } from "../corpus/examples.ts";
import { guidOf, post } from "../support/deliveries.ts";
import { callTool, connectV2, toolValue } from "../support/mcp.ts";
import { get, getJson, successful } from "../support/rest.ts";

/** Every example with the id that its delivery names it by. */
const examples = examplePayloads.map((example, i) => ({ ...example, id: guidOf(i + 1) }));
const byId = new Map(examples.map((example) => [example.id, example]));

/** The fifteen fields that the existing service's users depend on, in their order. */
const COMPATIBLE = [
  "id",
  "type",
  "received_at",
  "processed",
  "trigger_status",
  "last_triggered_at",
  "action",
  "repo",
  "sender",
  "number",
  "title",
  "url",
  "head_branch",
  "head_sha",
  "conclusion",
];

const answers: { status: number; body: unknown }[] = [];
let client: Client;

beforeAll(async () => {
  for (const { type, payload, id } of examples) {
    const response = await post(payload, { event: type, guid: id });
    answers.push({ status: response.status, body: await response.json() });
  }
  client = await connectV2();
}, 120_000);

test("there are 329 examples of 58 event types", () => {
  expect(examples).toHaveLength(329);
  expect(new Set(examples.map(({ type }) => type)).size).toBe(58);
});

test("every example is accepted with 202, under its delivery GUID", () => {
  expect(answers).toEqual(examples.map(({ id }) => ({ status: 202, body: { accepted: true, id } })));
});

test("every example is pending, and counted under its type", async () => {
  const status = await toolValue<{ pending_count: number; types: Record<string, number> }>(
    client,
    "get_pending_status",
  );
  const types: Record<string, number> = {};
  for (const { type } of examples) types[type] = (types[type] ?? 0) + 1;
  expect(status.pending_count).toBe(329);
  expect(status.types).toEqual(types);
});

test("every example comes back deep-equal by GET /api/event", async () => {
  for (const { id, type, payload } of examples) {
    const event = await getJson<WebhookEvent>("/api/event", { id });
    expect(event).toEqual({
      id,
      type,
      payload,
      received_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      processed: false,
      trigger_status: null,
      last_triggered_at: null,
    });
  }
}, 60_000);

test("every example comes back deep-equal by get_event, in text and in structured content", async () => {
  for (const { id, type, payload } of examples) {
    const result = await callTool(client, "get_event", { event_id: id });
    const event = JSON.parse(result.content[0]!.text);
    expect(event).toMatchObject({ id, type });
    expect(event.payload).toEqual(payload);
    expect(event).not.toHaveProperty("truncated");
    expect(result.structuredContent).toMatchObject(event);
  }
}, 60_000);

test("list_pending_events shows every example once, newest first, as it summarises itself", async () => {
  const listed: EventSummary[] = [];
  for (let cursor: string | undefined; ; ) {
    const result = await callTool(client, "list_pending_events", { limit: 100, ...(cursor && { cursor }) });
    listed.push(...(JSON.parse(result.content[0]!.text) as EventSummary[]));
    cursor = result.structuredContent?.next_cursor as string | undefined;
    if (cursor === undefined) break;
  }
  expect(new Set(listed.map(({ id }) => id)).size).toBe(listed.length);
  expect(listed).toHaveLength(329);
  for (const summary of listed) {
    const { type, payload } = byId.get(summary.id)!;
    expect(Object.keys(summary).slice(0, COMPATIBLE.length)).toEqual(COMPATIBLE);
    expect(summary).toEqual({
      id: summary.id,
      type,
      received_at: expect.any(String),
      processed: false,
      trigger_status: null,
      last_triggered_at: null,
      ...summarizePayload(type, payload),
      cursor: expect.any(String),
    });
  }
  const times = listed.map(({ received_at }) => received_at);
  expect(times).toEqual([...times].sort().reverse());
});

test("a page of 20 summaries is under 17 KB of text, notes included, wherever it begins", async () => {
  for (let cursor: string | undefined; ; ) {
    const { content, structuredContent } = await callTool(client, "list_pending_events", cursor ? { cursor } : {});
    expect(content.map(({ text }) => text).join("\n").length).toBeLessThan(17_000);
    cursor = structuredContent?.next_cursor as string | undefined;
    if (cursor === undefined) break;
  }
});

test("GET /api/pending-events lists in the order of arrival what the tools list", async () => {
  const listed: EventSummary[] = [];
  for (let cursor: string | undefined; ; ) {
    const response = await get("/api/pending-events", { limit: 100, order: "oldest", cursor });
    cursor = response.headers.get("X-Next-Cursor") ?? undefined;
    listed.push(...(await successful<EventSummary[]>(response)));
    if (cursor === undefined) break;
  }
  expect(listed.map(({ id }) => id).sort()).toEqual([...byId.keys()].sort());
  const times = listed.map(({ received_at }) => received_at);
  expect(times).toEqual([...times].sort());
});

test("get_webhook_events and GET /api/webhook-events page through every payload", async () => {
  const byTool = new Map<string, unknown>();
  for (let cursor: string | undefined; ; ) {
    const result = await callTool(client, "get_webhook_events", { limit: 100, ...(cursor && { cursor }) });
    for (const event of JSON.parse(result.content[0]!.text) as WebhookEvent[]) byTool.set(event.id, event.payload);
    cursor = result.structuredContent?.next_cursor as string | undefined;
    if (cursor === undefined) break;
  }
  const byRest = new Map<string, unknown>();
  for (let cursor: string | undefined; ; ) {
    const response = await get("/api/webhook-events", { limit: 100, cursor });
    cursor = response.headers.get("X-Next-Cursor") ?? undefined;
    for (const event of await successful<WebhookEvent[]>(response)) byRest.set(event.id, event.payload);
    if (cursor === undefined) break;
  }
  expect(byTool.size).toBe(329);
  expect(byRest.size).toBe(329);
  for (const { id, payload } of examples) {
    expect(byTool.get(id)).toEqual(payload);
    expect(byRest.get(id)).toEqual(payload);
  }
}, 60_000);

test("search finds an example by the words of its title", async () => {
  const { id, payload } = examples.find(({ type }) => type === "issues")!;
  const { title } = (payload as { issue: { title: string } }).issue;
  const found = await toolValue<EventSummary[]>(client, "search_events", {
    query: title,
    types: ["issues"],
    limit: 100,
  });
  expect(found.map((summary) => summary.id)).toContain(id);
  expect(found.every(({ type }) => type === "issues")).toBe(true);
});
