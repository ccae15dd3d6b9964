/** The agent as a Durable Object, over real stores, as the Worker calls it: by RPC. */
import { reset, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { Client } from "@modelcontextprotocol/client";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { durableStores } from "../inbox/stores.ts";
import { delivery, guidOf } from "../store/testing/deliveries.ts";
import { callerOf, connect, type Era, fetchTo } from "./testing/connect.ts";

const stores = durableStores(env.WEBHOOK_STORE);
const agent = () => ({
  serve: (request: Request, caller: ReturnType<typeof callerOf>) =>
    env.MCP_AGENT.getByName("tenant-7").serve(request, caller),
});
const clients: Client[] = [];

async function open(era: Era, caller = callerOf([1, 2])): Promise<Client> {
  const client = await connect(agent(), caller, era);
  clients.push(client);
  return client;
}

async function listeners(accountId: number): Promise<number> {
  return runInDurableObject(
    env.WEBHOOK_STORE.getByName(`store-${accountId}`),
    (_, state) => state.getWebSockets().length,
  );
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 5));
}

const arrive = (n: number, accountId = 1) => stores.store(accountId).ingest({ ...delivery({ n }), accountId });

async function ids(client: Client, name: string, args: Record<string, unknown> = {}): Promise<string[]> {
  const { structuredContent } = await client.callTool({ name, arguments: args });
  return (structuredContent as { events: { id: string }[] }).events.map(({ id }) => id);
}

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  await reset();
});

describe.each(["2025", "2026"] as const)("an agent's client of %s", (era) => {
  beforeEach(async () => {
    await arrive(1, 1);
    await arrive(2, 2);
  });

  it("reads, searches and marks over the viewer's stores", async () => {
    const client = await open(era);
    const status = await client.callTool({ name: "get_pending_status" });
    expect(status.structuredContent).toMatchObject({ pending_count: 2, types: { issues: 2 } });
    expect(await ids(client, "list_pending_events", { limit: 1 })).toHaveLength(1);
    expect((await ids(client, "search_events", { query: "event" })).sort()).toEqual([guidOf(1), guidOf(2)]);
    await client.callTool({ name: "mark_processed", arguments: { event_id: guidOf(2) } });
    expect(await ids(client, "list_pending_events")).toEqual([guidOf(1)]);
  });

  it("serves each request with that request's viewer: nothing of another one stays behind", async () => {
    const wide = await open(era, callerOf([1, 2]));
    const narrow = await open(era, callerOf([2]));
    expect((await ids(wide, "list_pending_events")).sort()).toEqual([guidOf(1), guidOf(2)]);
    expect(await ids(narrow, "list_pending_events")).toEqual([guidOf(2)]);
    const foreign = await narrow.callTool({ name: "get_event", arguments: { event_id: guidOf(1) } });
    expect(foreign).toMatchObject({ isError: true, content: [{ text: `Event ${guidOf(1)} not found` }] });
  });

  it("waits on the stores' sockets, and lets go of them afterwards", async () => {
    const client = await open(era);
    const waiting = ids(client, "wait_for_events", { timeout_seconds: 20 });
    await until(async () => (await listeners(2)) > 0);
    await arrive(3, 2);
    expect(await waiting).toEqual([guidOf(3)]);
    await until(async () => (await listeners(1)) + (await listeners(2)) === 0);
  });

  it("stops waiting when the client's connection ends", async () => {
    const client = await connect(agent(), callerOf([1, 2]), era);
    const outcome = expect(client.callTool({ name: "wait_for_events", arguments: {} })).rejects.toThrow();
    await until(async () => (await listeners(2)) > 0);
    await client.close();
    await outcome;
    await until(async () => (await listeners(1)) + (await listeners(2)) === 0);
  });
});

it("tells listeners that events have arrived, and lets go of the stores when they leave", async () => {
  const client = await open("2026");
  const updated = Promise.withResolvers<string>();
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => updated.resolve(params.uri));
  const subscription = await client.listen({ resourceSubscriptions: ["github-webhook://events"] });
  await arrive(1, 2);
  expect(await updated.promise).toBe("github-webhook://events");
  await subscription.close();
  await until(async () => (await listeners(1)) + (await listeners(2)) === 0);
});

it("answers an ill-formed request as well as a good one", async () => {
  const response = await fetchTo(agent(), callerOf([1]))("https://hooks.example/mcp", {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/json, text/event-stream" },
    body: "{",
  });
  expect(response.status).toBe(400);
  await response.body?.cancel();
});
