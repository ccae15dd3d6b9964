/**
 * `GET /events` over real connections, under a running `npm start`: Node's WebSocket client, an EventSource, and what
 * becomes of both when their person loses access at GitHub.
 */
import { createRequire } from "node:module";
import { type EventFrame, readFrame, type StreamFrame } from "@github-webhook-mcp/shared/stream.ts";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { Person } from "../github/person.ts";
import { SMALL_WORLD } from "../github/worlds.ts";
import { deliver, delivery } from "../node/support/github.ts";
import { endAll, type LocalServer, startServer, temporaryState } from "../node/support/local-server.ts";
import { atProgram, Program } from "./oauth/program.ts";
import { type SignInStage, startStage } from "./worker.ts";

/** The EventSource that the SDK uses. */
const sdk = createRequire(createRequire(import.meta.url).resolve("@modelcontextprotocol/sdk/package.json"));
const { EventSource } = sdk("eventsource") as typeof import("eventsource");

interface Stream {
  frames: StreamFrame[];
  events(): EventFrame[];
  /** The close code of a WebSocket, the status that an EventSource met. */
  closed: Promise<number | undefined>;
  close(): void;
}

const open: Stream[] = [];
afterEach(() => {
  for (const stream of open.splice(0)) stream.close();
});

function stream(frames: StreamFrame[], closed: Stream["closed"], close: () => void): Stream {
  const made = { frames, closed, close, events: () => frames.filter((one): one is EventFrame => "event_id" in one) };
  open.push(made);
  return made;
}

function openSocket(origin: string, token: string, query = ""): Stream {
  const url = `${origin.replace("http", "ws")}/events${query}`;
  // Node's WebSocket takes headers, as undici's documentation says; the DOM's types know nothing of it.
  const socket = new WebSocket(url, { headers: { Authorization: `Bearer ${token}` } } as never);
  const frames: StreamFrame[] = [];
  socket.addEventListener("message", ({ data }) => frames.push(readFrame(String(data))!));
  const closed = new Promise<number>((done) => socket.addEventListener("close", ({ code }) => done(code)));
  return stream(frames, closed, () => socket.close());
}

function openEventSource(origin: string, token: string, query = ""): Stream & { ids: string[]; errors: string[] } {
  const source = new EventSource(`${origin}/events${query}`, {
    fetch: (url, init) => fetch(url, { ...init, headers: { ...init.headers, Authorization: `Bearer ${token}` } }),
  });
  const [frames, ids, errors]: [StreamFrame[], string[], string[]] = [[], [], []];
  source.addEventListener("message", ({ data, lastEventId }) => {
    frames.push(readFrame(String(data))!);
    ids.push(lastEventId);
  });
  const closed = new Promise<number | undefined>((done) =>
    source.addEventListener("error", (event) => {
      const { data, code } = event as { data?: string; code?: number };
      if (data) errors.push(data);
      if (source.readyState === EventSource.CLOSED) done(code);
    }),
  );
  return Object.assign(
    stream(frames, closed, () => source.close()),
    { ids, errors },
  );
}

/** A filter that leaves out what GitHub says about the loss of access itself. */
const ISSUES = "?types=issues";

/** Subscribes to the resource of events by MCP; resolves to the ends of the answers to it, as they come. */
async function subscribe(origin: string, token: string): Promise<Promise<void>[]> {
  const ended: Promise<void>[] = [];
  const client = new Client({ name: "tests", version: "1" }, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  const overheard: typeof fetch = async (url, init) => {
    const response = await fetch(url, init);
    if (new Headers(init?.headers).get("mcp-method") !== "subscriptions/listen" || !response.body) return response;
    const [seen, body] = response.body.tee();
    ended.push(seen.pipeTo(new WritableStream()).catch(() => {}));
    return new Response(body, response);
  };
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", origin), { requestInit, fetch: overheard }));
  await client.listen({ resourceSubscriptions: ["github-webhook://events"] });
  expect(ended).toHaveLength(1);
  return ended;
}

const within = (ms: number) => ({ timeout: ms, interval: 10 });
const idsOf = (events: readonly EventFrame[]) => events.map(({ event_id }) => event_id);

describe("in local mode", () => {
  const SECRET = "clients";
  const state = temporaryState();
  let server: LocalServer;
  beforeAll(async () => {
    server = await startServer(state.path, { GITHUB_WEBHOOK_SECRET: SECRET });
  }, 90_000);
  afterAll(() => {
    endAll();
    state.dispose();
  });

  let accounts = 0;
  const send = async (account = accounts): Promise<string> => {
    const owner = { id: 100 + account, login: `octo-${account}`, type: "Organization" };
    const repository = { id: 1_000 + account, full_name: `${owner.login}/app`, owner };
    const issue = { number: 1, title: "live", html_url: `https://github.com/${repository.full_name}/issues/1` };
    const payload = { action: "opened", issue, repository };
    const { status, body } = await deliver(server.url, SECRET, delivery("issues", payload));
    expect(status).toBe(202);
    return (body as { id: string }).id;
  };

  test.each([
    ["a WebSocket", openSocket],
    ["an EventSource", openEventSource],
  ])("%s hears an account's first event ever, and the next ones, live", async (_, openStream) => {
    accounts++;
    const client = openStream(server.url, server.token);
    await vi.waitFor(() => expect(client.frames.length).toBe(1), within(5_000));
    expect(client.frames[0]).toMatchObject({ status: "connected" });
    const first = await send();
    await vi.waitFor(() => expect(idsOf(client.events())).toEqual([first]), within(5_000));
    const next = await send();
    await vi.waitFor(() => expect(idsOf(client.events())).toEqual([first, next]), within(5_000));
  });

  test("a client that comes back goes on behind the last frame that it has", async () => {
    accounts++;
    const before = openSocket(server.url, server.token);
    await vi.waitFor(() => expect(before.frames.length).toBe(1), within(5_000));
    const seen = await send();
    await vi.waitFor(() => expect(before.events().length).toBe(1), within(5_000));
    before.close();
    const missed = [await send(), await send()];
    const cursor = encodeURIComponent(before.events()[0]!.cursor);
    const [socket, source] = [openSocket, openEventSource].map((openStream) =>
      openStream(server.url, server.token, `?cursor=${cursor}`),
    );
    const live = await send();
    for (const client of [socket!, source!]) {
      await vi.waitFor(() => expect(idsOf(client.events())).toEqual([...missed, live]), within(5_000));
    }
    expect(idsOf(before.events())).toEqual([seen]);
    expect((source as ReturnType<typeof openEventSource>).ids).toEqual([
      before.events()[0]!.cursor,
      ...source!.events().map((event) => event.cursor),
    ]);
  });

  test("bad requests are ordinary answers, with an upgrade and without", async () => {
    const socket = openSocket(server.url, "wrong");
    expect(await socket.closed).toBe(1006);
    const source = openEventSource(server.url, "wrong");
    expect(await source.closed).toBe(401);
    const answer = await fetch(`${server.url}/events?types=!`, {
      headers: { Authorization: `Bearer ${server.token}` },
    });
    expect([answer.status, await answer.json()]).toMatchObject([400, { error: "invalid_request" }]);
  });
});

describe("when access is lost at GitHub", () => {
  let stage: SignInStage;
  beforeAll(async () => {
    stage = await startStage(SMALL_WORLD, { ACCESS_RECHECK_SECONDS: "0" });
  }, 120_000);
  afterAll(() => stage?.close(), 30_000);

  const signedIn = async (login: string): Promise<string> => {
    const program = await Program.register(stage.url);
    await program.signIn(new Person(login, atProgram));
    return program.tokens!.access_token;
  };
  const send = (repository: string) =>
    stage.github.deliver({ event: "issues", action: "opened", repository, sender: "mona" });

  test("WebSockets are closed with 4401, event streams with an error, and subscriptions end, within 30 seconds, and no one else's", async () => {
    const [guest, hubot, mona] = [await signedIn("guest"), await signedIn("hubot"), await signedIn("mona")];
    const socket = openSocket(stage.url, guest, ISSUES);
    const source = openEventSource(stage.url, hubot, ISSUES);
    const bystander = openSocket(stage.url, mona, ISSUES);
    const [subscription, kept] = [await subscribe(stage.url, guest), await subscribe(stage.url, mona)];
    for (const client of [socket, source, bystander]) {
      await vi.waitFor(() => expect(client.frames.length).toBe(1), within(10_000));
    }
    await send("acme/website");
    for (const client of [socket, source, bystander]) {
      await vi.waitFor(() => expect(client.events().length).toBe(1), within(5_000));
    }
    const lost = performance.now();
    await stage.github.change({ kind: "remove-collaborator", repository: "acme/website", user: "guest" });
    await stage.github.change({ kind: "revoke-authorization", user: "hubot" });
    expect(await socket.closed).toBe(4401);
    expect(await source.closed).toBe(401);
    await subscription[0];
    expect(performance.now() - lost).toBeLessThan(30_000);
    expect(source.errors).toEqual([
      '{"error":"access_lost","message":"Access has ended or changed: refresh the token, or sign in again."}',
    ]);
    await send("acme/website");
    await vi.waitFor(() => expect(bystander.events().length).toBe(2), within(5_000));
    expect([socket.events().length, source.events().length]).toEqual([1, 1]);
    expect(await Promise.race([kept[0], "open"])).toBe("open");
  }, 90_000);
});
