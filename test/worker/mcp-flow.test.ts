/**
 * The whole job as an agent does it: signed webhooks in by HTTP, tools out by both generations of the official client,
 * through the Worker's own `fetch`. Each tool's own cases stand beside its source.
 */
import type { EventSummary, WebhookEvent } from "@github-webhook-mcp/shared/events.ts";
import type { Client } from "@modelcontextprotocol/client";
import type { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { afterEach, describe, expect, test, vi } from "vitest";
import { deliver, newGuid } from "../support/deliveries.ts";
import { failReads } from "../support/faults.ts";
import { callTool, connectV1, connectV2, MODERN, toolValue } from "../support/mcp.ts";
import { installation, issue, mona, octoOrg, wipe } from "../support/payloads.ts";
import { connectAs, member } from "../support/viewers.ts";
import { fetchSignedIn } from "../support/worker.ts";

type AnyClient = Client | Client1;

const open: AnyClient[] = [];

afterEach(async () => {
  vi.restoreAllMocks();
  await Promise.all(open.splice(0).map((client) => client.close()));
  await wipe();
});

const TOOLS = [
  "get_pending_status",
  "list_pending_events",
  "get_event",
  "get_webhook_events",
  "mark_processed",
  "search_events",
  "wait_for_events",
];

const idsOf = (events: readonly { id: string }[]) => events.map(({ id }) => id);

async function kept<T extends AnyClient>(connecting: Promise<T>): Promise<T> {
  const client = await connecting;
  open.push(client);
  return client;
}

const generations = {
  "v2, protocol 2026-07-28": () => kept(connectV2()),
  "v2, protocol 2025-11-25": () => kept(connectV2(undefined, "legacy")),
  "v1, protocol 2025-11-25": () => kept(connectV1()),
} as Record<string, () => Promise<AnyClient>>;

describe.each(Object.keys(generations))("the SDK's client of %s", (generation) => {
  const connect = () => generations[generation]!();

  test("lists every tool with title, description, schemas and annotations, in under 12 KB", async () => {
    const client = await connect();
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual([...TOOLS].sort());
    for (const tool of tools) {
      expect(tool.title).toBeTruthy();
      expect(tool.description).toBeTruthy();
      expect(Object.keys(tool.inputSchema)).toContain("properties");
      expect(Object.keys(tool.outputSchema!)).toContain("properties");
      expect(tool.annotations).toMatchObject(
        tool.name === "mark_processed"
          ? { readOnlyHint: false, idempotentHint: true, destructiveHint: true, openWorldHint: false }
          : { readOnlyHint: true, openWorldHint: false },
      );
    }
    expect(JSON.stringify(tools).length).toBeLessThan(12_000);
  });

  test("goes from a signed webhook to a mark with every tool", async () => {
    const client = await connect();
    const id = await deliver(issue({ number: 42, title: "The build is on fire", body: "smoke everywhere" }));
    const head = { id, type: "issues", action: "opened", repo: "octo-org/app", number: 42 };

    const status = await callTool(client, "get_pending_status");
    expect(status.content).toHaveLength(1);
    const { pending_count, latest_received_at, types } = JSON.parse(status.content[0]!.text);
    expect({ pending_count, types }).toEqual({ pending_count: 1, types: { issues: 1 } });

    const listed = await callTool(client, "list_pending_events");
    const [summary] = JSON.parse(listed.content[0]!.text) as EventSummary[];
    expect(summary).toMatchObject({ ...head, title: "The build is on fire", received_at: latest_received_at });
    expect(listed.content[0]!.text).toBe(JSON.stringify([summary], null, 2));

    expect(await toolValue(client, "search_events", { query: "smoke" })).toEqual([summary]);
    expect(await toolValue(client, "get_webhook_events")).toMatchObject([{ id, payload: { issue: { number: 42 } } }]);
    const event = await toolValue<WebhookEvent>(client, "get_event", { event_id: id });
    expect(event).toMatchObject({ id, processed: false, payload: { issue: { body: "smoke everywhere" } } });
    const part = await toolValue<WebhookEvent>(client, "get_event", { event_id: id, path: "/issue/title" });
    expect(part.payload).toBe("The build is on fire");

    const marked = await callTool(client, "mark_processed", { event_id: id });
    expect(marked.content[0]!.text).toBe(`{"success":true,"event_id":"${id}","purged":0}`);
    expect(await toolValue(client, "list_pending_events")).toEqual([]);
    const processed = await toolValue<EventSummary[]>(client, "list_pending_events", { include_processed: true });
    expect(processed).toEqual([{ ...summary, processed: true }]);
    expect(await toolValue(client, "get_pending_status")).toMatchObject({ pending_count: 0, latest_received_at: null });
  });

  test("is woken by a webhook while it waits, and misses nothing in between waits", async () => {
    const client = await connect();
    // An account that a call did not know when it began is not waited for.
    await deliver(issue({ owner: octoOrg }));
    await deliver(issue({ owner: mona }));
    const first = callTool(client, "wait_for_events", { timeout_seconds: 20 });
    await new Promise((resolve) => setTimeout(resolve, 200));
    const started = performance.now();
    const woke = await deliver(issue({ number: 1 }));
    const result = await first;
    expect(performance.now() - started).toBeLessThan(5_000);
    expect(idsOf(result.structuredContent!.events as EventSummary[])).toEqual([woke]);
    const between = [await deliver(issue({ number: 2 })), await deliver(issue({ number: 3, owner: mona }))];
    const cursor = result.structuredContent!.next_cursor as string;
    const second = await callTool(client, "wait_for_events", { cursor, timeout_seconds: 20 });
    expect(idsOf(JSON.parse(second.content[0]!.text))).toEqual(between);
    const last = await callTool(client, "wait_for_events", {
      cursor: second.structuredContent!.next_cursor,
      timeout_seconds: 0,
    });
    expect(last.structuredContent).toMatchObject({ events: [], next_cursor: expect.any(String) });
    expect(last.content[1]!.text).toContain(last.structuredContent!.next_cursor as string);
  });

  test("waits only for what its filter wants", async () => {
    const client = await connect();
    await deliver(issue());
    const waiting = callTool(client, "wait_for_events", { timeout_seconds: 20, types: ["push"] });
    await new Promise((resolve) => setTimeout(resolve, 200));
    await deliver(issue());
    const push = await deliver({ ...issue(), ref: "refs/heads/main" }, { event: "push" });
    expect(idsOf((await waiting).structuredContent!.events as EventSummary[])).toEqual([push]);
  });

  test("reads the resources and the prompt", async () => {
    const client = await connect();
    const id = await deliver(issue({ title: "as a resource" }));
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual(["github-webhook://events"]);
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual(["github-webhook://event/{id}"]);
    const read = async (uri: string) => {
      const { contents } = await client.readResource({ uri });
      return JSON.parse((contents[0] as { text: string }).text);
    };
    expect((await read("github-webhook://events")).events).toMatchObject([{ id, title: "as a resource" }]);
    expect(await read(`github-webhook://event/${id}`)).toMatchObject({ id, payload: { action: "opened" } });
    await expect(client.readResource({ uri: `github-webhook://event/${newGuid()}` })).rejects.toThrow(/not found/i);

    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(["triage_pending"]);
    const { messages } = await client.getPrompt({ name: "triage_pending", arguments: { repo: "octo-org/app" } });
    expect(JSON.stringify(messages)).toContain("octo-org/app");
  });

  test("gets a clear error, and not an exception, for what it can't have", async () => {
    const client = await connect();
    const id = await deliver(issue());
    const unknown = newGuid();
    for (const [name, args, text] of [
      ["get_event", { event_id: unknown }, `Event ${unknown} not found`],
      ["get_event", { event_id: "nonsense" }, "Event nonsense not found"],
      ["get_event", { event_id: id, path: "issue" }, /JSON pointer/],
      ["get_event", { event_id: id, path: "/nowhere" }, /leads to nothing/],
      ["mark_processed", { event_id: unknown }, `Event ${unknown} not found`],
      ["mark_processed", { event_ids: [id, unknown] }, new RegExp(`${unknown} not found`)],
      ["mark_processed", {}, /exactly one/],
      ["mark_processed", { event_id: id, up_to_cursor: "s1" }, /exactly one/],
      ["list_pending_events", { cursor: "nonsense" }, /cursor/],
      ["search_events", { query: "" }, /query must not be empty/],
      ["search_events", { query: "  " }, /query must not be empty/],
      ["wait_for_events", { cursor: "e1~1", timeout_seconds: 0 }, /cursor/],
    ] as const) {
      const result = await callTool(client, name, args as never);
      expect([name, args, result.isError]).toEqual([name, args, true]);
      if (typeof text === "string") expect(result.content[0]!.text).toBe(text);
      else expect(result.content[0]!.text).toMatch(text);
    }
    for (const query of ['"', "AND", "a OR", "title:", "(", "*", "-", "NEAR(", "'; DROP TABLE event", "\u0000", "😀"]) {
      const result = await callTool(client, "search_events", { query });
      expect([query, result.isError ?? false]).toEqual([query, false]);
    }
  });
});

describe("protocol", () => {
  test("a 2026 client is offered resource updates, a 2025 client is not", async () => {
    const modern = await kept(connectV2());
    expect(modern.getNegotiatedProtocolVersion()).toBe(MODERN);
    expect(modern.getServerCapabilities()?.resources?.subscribe).toBe(true);
    for (const client of [await kept(connectV1()), await kept(connectV2(undefined, "legacy"))]) {
      expect(client.getServerCapabilities()?.resources?.subscribe).toBeFalsy();
      expect(client.getServerCapabilities()).toMatchObject({ tools: {}, prompts: {}, resources: {} });
      expect(client.getServerVersion()).toMatchObject({ name: "github-webhook-mcp" });
    }
  });

  test("the instructions give the polling flow and stay under 2 KB", async () => {
    const instructions = (await kept(connectV2())).getInstructions()!;
    expect(new TextEncoder().encode(instructions).length).toBeLessThan(2_048);
    for (const word of ["get_pending_status", "list_pending_events", "get_event", "mark_processed", "60 seconds"]) {
      expect(instructions).toContain(word);
    }
  });

  test("/mcp/ is /mcp", async () => {
    const client = await kept(connectV2((url, init) => fetchSignedIn(`${new URL(url).pathname}/`, init)));
    expect((await client.listTools()).tools).toHaveLength(TOOLS.length);
  });

  test("a subscriber is told of a webhook, and of none when it has stopped", async () => {
    await deliver(issue());
    const client = await kept(connectV2());
    const updates: string[] = [];
    client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
      updates.push(params.uri);
    });
    const subscription = await client.listen({ resourceSubscriptions: ["github-webhook://events"] });
    expect(subscription.honoredFilter.resourceSubscriptions).toEqual(["github-webhook://events"]);
    await deliver(issue({ number: 2 }));
    await expect.poll(() => updates.length, { timeout: 5_000 }).toBeGreaterThan(0);
    expect(new Set(updates)).toEqual(new Set(["github-webhook://events"]));
    await subscription.close();
    const told = updates.length;
    await deliver(issue({ number: 3 }));
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(updates.length).toBe(told);
  });

  test("a caller with read scope alone reads, and can't mark", async () => {
    const id = await deliver(issue());
    const client = await kept(connectAs(member(5, octoOrg, "all"), undefined, ["events:read"]));
    expect(idsOf(await toolValue(client, "list_pending_events"))).toEqual([id]);
    await expect(callTool(client, "mark_processed", { event_id: id })).rejects.toThrow();
    expect(await toolValue(client, "get_pending_status")).toMatchObject({ pending_count: 1 });
  });
});

describe("many events", () => {
  test.for(["newest", "oldest"] as const)(
    "paging %s first through 300 events of two accounts loses and repeats nothing, while more arrive",
    { timeout: 60_000 },
    async (order, { expect }) => {
      const client = await kept(connectV2());
      const ids: string[] = [];
      for (let n = 1; n <= 300; n++) {
        // Uneven, and many in the same millisecond.
        ids.push(await deliver(issue({ number: n, owner: n % 7 < 2 ? mona : octoOrg })));
      }
      const found: string[] = [];
      for (let cursor: string | undefined, page = 0; ; page++) {
        const result = await callTool(client, "list_pending_events", { limit: 17, order, ...(cursor && { cursor }) });
        found.push(...idsOf(JSON.parse(result.content[0]!.text)));
        cursor = result.structuredContent?.next_cursor as string | undefined;
        if (cursor === undefined) break;
        expect(result.content[1]!.text).toContain(`next_cursor: ${cursor}`);
        if (page === 5) await deliver(issue({ number: 1_000 }));
      }
      expect(new Set(found).size).toBe(found.length);
      const old = found.filter((id) => ids.includes(id));
      expect([...old].sort()).toEqual([...ids].sort());
      // Newest first, what arrives on the way is not part of the list; oldest first, it comes last.
      expect(found.length - old.length).toBe(order === "newest" ? 0 : 1);
    },
  );

  test("up_to_cursor of an event marks what is at or before it in both accounts, and nothing after", async () => {
    const client = await kept(connectV2());
    for (let n = 1; n <= 20; n++) await deliver(issue({ number: n, owner: n % 2 ? mona : octoOrg }));
    const listed = await toolValue<EventSummary[]>(client, "list_pending_events", { limit: 100 });
    const { cursor } = listed[9]!;
    const marked = await callTool(client, "mark_processed", { up_to_cursor: cursor });
    expect(marked.structuredContent).toMatchObject({ success: true, marked: 11 });
    const left = await toolValue<EventSummary[]>(client, "list_pending_events", { limit: 100 });
    expect(idsOf(left)).toEqual(idsOf(listed.slice(0, 9)));
  });

  test("up_to_cursor with a filter marks only what matches it", async () => {
    const client = await kept(connectV2());
    await deliver(issue({ number: 1 }));
    const push = await deliver({ ...issue(), ref: "refs/heads/main" }, { event: "push" });
    const { cursor } = (await callTool(client, "get_pending_status")).structuredContent as { cursor: string };
    await callTool(client, "mark_processed", { up_to_cursor: cursor, types: ["issues"] });
    expect(idsOf(await toolValue(client, "list_pending_events"))).toEqual([push]);
  });

  test("a store that fails in the middle of paging costs no event once it is back", async () => {
    const client = await kept(connectV2());
    const ids: string[] = [];
    for (let n = 1; n <= 30; n++) ids.push(await deliver(issue({ number: n, owner: n % 3 ? octoOrg : mona })));
    vi.spyOn(console, "error").mockImplementation(() => {});
    const found: string[] = [];
    for (let cursor: string | undefined, page = 0; ; page++) {
      if (page === 2) failReads([mona.id]);
      if (page === 4) vi.restoreAllMocks();
      const result = await callTool(client, "list_pending_events", {
        limit: 4,
        order: "oldest",
        ...(cursor && { cursor }),
      });
      if (page === 2 || page === 3) expect(result.structuredContent).toMatchObject({ partial: true });
      found.push(...idsOf(JSON.parse(result.content[0]!.text)));
      cursor = result.structuredContent?.next_cursor as string | undefined;
      if (cursor === undefined) break;
    }
    expect([...found].sort()).toEqual([...ids].sort());
  });
});

describe("lifecycle", () => {
  test("an App's life is told by its events: created, suspended, unsuspended, deleted", async () => {
    const client = await kept(connectV2());
    const actions = ["created", "new_permissions_accepted", "suspend", "unsuspend", "deleted"];
    for (const [i, action] of actions.entries()) {
      await deliver(installation(action, octoOrg, `2026-11-01T0${i}:00:00Z`), { event: "installation" });
    }
    const listed = await toolValue<EventSummary[]>(client, "list_pending_events", { order: "oldest" });
    expect(listed.map(({ action }) => action)).toEqual(actions);
    // What comes late is still the tenant's.
    const late = await deliver(issue());
    expect(await toolValue(client, "get_event", { event_id: late })).toMatchObject({ id: late });
  });
});
