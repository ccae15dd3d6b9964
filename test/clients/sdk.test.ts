/**
 * The official SDK's clients, both generations, over HTTP against a running `npm start`: real workerd, which refuses
 * what the tests' own pool lets pass (`new Function`), and real sockets, which can break.
 */
import { createHmac, randomUUID } from "node:crypto";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { EventSummary } from "@github-webhook-mcp/shared/events.ts";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as Transport1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { deliver, delivery } from "../node/support/github.ts";
import { endAll, type LocalServer, startServer, temporaryState } from "../node/support/local-server.ts";
import { largePush } from "../support/large-push.ts";

const SECRET = "clients";
const TIMEOUT = 60_000;

const state = temporaryState();
let server: LocalServer;
const open: (Client | Client1)[] = [];

beforeAll(async () => {
  server = await startServer(state.path, { GITHUB_WEBHOOK_SECRET: SECRET });
}, 90_000);
afterEach(() => Promise.all(open.splice(0).map((client) => client.close())));
afterAll(() => {
  endAll();
  state.dispose();
});

const repository = { id: 1, full_name: "octo/app", owner: { id: 2, login: "octo", type: "Organization" } };
const issue = (number: number, title = `issue ${number}`) => ({
  action: "opened",
  issue: { number, title, html_url: `https://github.com/octo/app/issues/${number}` },
  repository,
});

async function send(event: string, payload: object): Promise<string> {
  const { status, body } = await deliver(server.url, SECRET, delivery(event, payload));
  expect([status, body]).toEqual([202, expect.anything()]);
  return (body as { id: string }).id;
}

/** What a client is given to connect with. */
const target = () => ({
  url: new URL("/mcp", server.url),
  options: { requestInit: { headers: { Authorization: `Bearer ${server.token}` } } },
});
const who = { name: "tests", version: "1.0.0" };

const generations: Record<string, () => Promise<Client | Client1>> = {
  "v2, protocol 2026-07-28": async () => {
    const { url, options } = target();
    const client = new Client(who, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
    await client.connect(new StreamableHTTPClientTransport(url, options));
    return client;
  },
  "v2, protocol 2025-11-25": async () => {
    const { url, options } = target();
    const client = new Client(who);
    await client.connect(new StreamableHTTPClientTransport(url, options));
    return client;
  },
  "v1, protocol 2025-11-25": async () => {
    const { url, options } = target();
    const client = new Client1(who);
    await client.connect(new Transport1(url, options) as never);
    return client;
  },
};

interface Called {
  isError?: boolean;
  content: { text: string }[];
  structuredContent: Record<string, unknown>;
}

async function call(client: Client | Client1, name: string, args: Record<string, unknown> = {}): Promise<Called> {
  return (await client.callTool({ name, arguments: args })) as unknown as Called;
}

describe.each(Object.keys(generations))("the SDK's client of %s", { timeout: TIMEOUT }, (generation) => {
  let client: Client | Client1;
  const connectClient = async () => {
    client = await generations[generation]!();
    open.push(client);
  };

  test("lists and calls every tool", async () => {
    await connectClient();
    const { tools } = await client.listTools();
    expect(tools).toHaveLength(7);
    const word = `word${randomUUID().replaceAll("-", "")}`;
    const id = await send("issues", issue(7, `about ${word}`));
    const status = await call(client, "get_pending_status");
    expect(status.structuredContent).toMatchObject({ types: { issues: expect.any(Number) } });
    const shown = { id, type: "issues", number: 7, title: `about ${word}` };
    const list = await call(client, "list_pending_events", { limit: 1 });
    expect(list.structuredContent.events).toMatchObject([shown]);
    const found = await call(client, "search_events", { query: word });
    expect(found.structuredContent.events).toMatchObject([shown]);
    const event = await call(client, "get_event", { event_id: id });
    expect(event.structuredContent).toMatchObject({ id, payload: issue(7, `about ${word}`) });
    const events = await call(client, "get_webhook_events", { limit: 1 });
    expect(events.structuredContent.events).toMatchObject([{ id, payload: { action: "opened" } }]);
    const { next_cursor } = (await call(client, "wait_for_events", { timeout_seconds: 0 })).structuredContent;
    const marked = await call(client, "mark_processed", { event_id: id });
    expect(marked.content[0]!.text).toBe(`{"success":true,"event_id":"${id}","purged":0}`);
    const nothing = await call(client, "wait_for_events", { cursor: next_cursor, timeout_seconds: 0 });
    expect(nothing.structuredContent.events).toEqual([]);
    for (const args of [{ limit: 1.5 }, { cursor: "nonsense" }]) {
      const refused = await call(client, "list_pending_events", args).catch((error: Error) => error);
      if (!(refused instanceof Error)) expect(refused.isError).toBe(true);
    }
  });

  test("is woken by a webhook while it waits", async () => {
    await send("issues", issue(1));
    await connectClient();
    const waiting = call(client, "wait_for_events", { timeout_seconds: 30 });
    await pause(500);
    const started = performance.now();
    const id = await send("push", { ref: "refs/heads/main", repository });
    const { events } = (await waiting).structuredContent as { events: EventSummary[] };
    expect(events.map((event) => event.id)).toEqual([id]);
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  test("reads the resources and the prompt", async () => {
    const id = await send("issues", issue(3));
    await connectClient();
    const { contents } = await client.readResource({ uri: `github-webhook://event/${id}` });
    expect(JSON.parse((contents[0] as { text: string }).text)).toMatchObject({ id });
    const { messages } = await client.getPrompt({ name: "triage_pending" });
    expect(messages).toHaveLength(1);
  });
});

test("a subscriber of protocol 2026-07-28 is told of a webhook", { timeout: TIMEOUT }, async () => {
  await send("issues", issue(1));
  const client = (await generations["v2, protocol 2026-07-28"]!()) as Client;
  open.push(client);
  const told = Promise.withResolvers<string>();
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => told.resolve(params.uri));
  const subscription = await client.listen({ resourceSubscriptions: ["github-webhook://events"] });
  await send("issues", issue(2));
  expect(await told.promise).toBe("github-webhook://events");
  await subscription.close();
});

test("a push of 24.9 MB goes in, and the whole comes back by REST", { timeout: TIMEOUT }, async () => {
  const body = largePush(24_900_000, { repository });
  const guid = randomUUID();
  const answer = await deliver(server.url, SECRET, { guid, event: "push", body });
  expect(answer).toEqual({ status: 202, body: { accepted: true, id: guid } });
  const response = await fetch(`${server.url}/api/event?id=${guid}`, {
    headers: { Authorization: `Bearer ${server.token}` },
  });
  const text = await response.text();
  expect(response.status).toBe(200);
  const start = text.indexOf('"payload":') + '"payload":'.length;
  // Compared as a boolean: a diff of 25 MB helps nobody.
  expect(text.slice(start, start + body.length) === body).toBe(true);
  // The Worker is none the worse for it.
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
});

test("a delivery whose sender hangs up in the middle is not stored, and the next one is", {
  timeout: TIMEOUT,
}, async () => {
  const body = JSON.stringify(issue(99));
  const guid = randomUUID();
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => {});
  socket.write(
    [
      "POST /webhooks/github HTTP/1.1",
      `Host: ${hostname}:${port}`,
      "Content-Type: application/json",
      `Content-Length: ${body.length}`,
      "X-GitHub-Event: issues",
      `X-GitHub-Delivery: ${guid}`,
      `X-Hub-Signature-256: sha256=${createHmac("sha256", SECRET).update(body).digest("hex")}`,
      "",
      body.slice(0, 20),
    ].join("\r\n"),
  );
  await pause(300);
  socket.destroy();
  const answer = await deliver(server.url, SECRET, { guid, event: "issues", body });
  expect(answer).toEqual({ status: 202, body: { accepted: true, id: guid } });
});
