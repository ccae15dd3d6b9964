/** `GET /events` on the wire: what it says, what it refuses, and what it makes of what a client says. */
import { afterEach, describe, expect, test, vi } from "vitest";
import { DEFAULT_SCOPES } from "../../../worker/src/grants/bearer.ts";
import { WebhookStore } from "../../../worker/src/store/store.ts";
import { deliver } from "../../support/deliveries.ts";
import { issue, mona, octoOrg, wipe } from "../../support/payloads.ts";
import { getJson, postMark } from "../../support/rest.ts";
import { KINDS, listeners, openEventStream, openSocket, streams } from "../../support/stream.ts";
import { eventsAs, member } from "../../support/viewers.ts";
import { DEPLOYED, fetchLocal, fetchSignedIn, TOKEN, workerWith } from "../../support/worker.ts";

afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  await streams.closeAll();
  await wipe();
});

const GUID = "11111111-2222-4333-8444-555555555555";

describe.each(KINDS)("%s", (kind, open) => {
  test("says where it begins, then each event as it arrives: the frames to the letter", async () => {
    await deliver(issue({ title: "old" }));
    const stream = await open();
    await stream.until(() => stream.frames.length > 0);
    await deliver(issue({ title: "new", number: 7 }), { guid: GUID });
    await stream.untilEvents(1);
    const at = (seq: number) => `s1~${octoOrg.id.toString(36)}.${seq}.all`;
    const summary = (await getJson<{ id: string; received_at: string; cursor: string }[]>("/api/pending-events"))[0]!;
    const frames = [
      { status: "connected", stores: 2, cursor: at(1) },
      {
        event_id: GUID,
        type: "issues",
        summary: {
          id: GUID,
          type: "issues",
          received_at: summary.received_at,
          processed: false,
          trigger_status: null,
          last_triggered_at: null,
          action: "opened",
          repo: "octo-org/app",
          sender: "stranger",
          number: 7,
          title: "new",
          url: "https://github.com/octo-org/app/issues/7",
          head_branch: null,
          head_sha: null,
          conclusion: null,
          author_association: "NONE",
          cursor: summary.cursor,
        },
        cursor: at(2),
      },
    ];
    const texts = frames.map((frame) => JSON.stringify(frame));
    expect(stream.lines).toEqual(
      kind === "WebSocket" ? texts : [`id: ${at(1)}`, `data: ${texts[0]}`, "", `id: ${at(2)}`, `data: ${texts[1]}`, ""],
    );
  });

  test("begins from now without a cursor, whatever is in the stores", async () => {
    await deliver(issue({ owner: octoOrg }));
    await deliver(issue({ owner: mona }));
    const stream = await open();
    await stream.until(() => stream.frames.length > 0);
    expect(stream.frames[0]).toMatchObject({ status: "connected", stores: 3 });
    const id = await deliver(issue({ owner: mona }));
    expect((await stream.untilEvents(1)).map(({ event_id }) => event_id)).toEqual([id]);
  });

  test("tells only what types and repo ask for, replayed and live", async () => {
    const other = { id: 502, name: "other" };
    const deliverAll = async () => {
      await deliver(issue(), { event: "push" });
      await deliver(issue(), { event: "star" });
      await deliver(issue({ repository: other }), { event: "push" });
      return deliver(issue(), { event: "issues" });
    };
    await deliverAll();
    const stream = await open("?cursor=s1&types=push,issues&repo=Octo-Org/APP");
    await stream.untilEvents(2);
    await deliverAll();
    const events = await stream.untilEvents(4);
    expect(events.map(({ type, summary }) => [type, summary.repo])).toEqual(
      ["push", "issues", "push", "issues"].map((type) => [type, "octo-org/app"]),
    );
  });

  test("lets go of every store when its client goes", async () => {
    await deliver(issue());
    const stream = await open();
    await stream.until(() => stream.frames.length > 0);
    expect(await listeners(octoOrg.id)).toBe(1);
    await stream.close();
    await vi.waitFor(async () => expect(await listeners(octoOrg.id)).toBe(0), 5_000);
  });

  test("sends a heartbeat every 30 seconds", async () => {
    await deliver(issue());
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const stream = await open("", {}, eventsAs(member(31, octoOrg, "all")));
    await stream.until(() => stream.frames.length > 0);
    const before = stream.lines.length;
    await vi.advanceTimersByTimeAsync(29_999);
    expect(stream.lines.length).toBe(before);
    for (let beats = 1; beats <= 3; beats++) {
      await vi.advanceTimersByTimeAsync(30_000);
      const said = () => stream.lines.slice(before).filter((line) => line !== "");
      await stream.until(() => said().length >= beats, "a heartbeat");
      const pattern = kind === "WebSocket" ? /^\{"heartbeat":\d{13}\}$/ : /^: heartbeat$/;
      expect(said()).toEqual(Array.from({ length: beats }, () => expect.stringMatching(pattern)));
    }
  });

  test("its first frame comes at once, though a store hangs (bug case 41)", async () => {
    await deliver(issue());
    vi.spyOn(WebhookStore.prototype, "fetch").mockReturnValue(new Promise(() => {}));
    for (const query of ["", "?cursor=s1"]) {
      const began = performance.now();
      const stream = await open(query);
      await stream.until(() => stream.frames.length > 0);
      // A second of patience with the stores, and what a busy machine needs.
      expect(performance.now() - began).toBeLessThan(3_000);
      await stream.close();
    }
  });
});

describe("what is refused, before anything is upgraded", () => {
  const upgrade = { Upgrade: "websocket" };
  const ask = (query: string, headers: Record<string, string> = {}, method = "GET") =>
    fetchSignedIn(`/events${query}`, { method, headers });

  test.each([
    ["?cursor=nonsense", /^This cursor can't be read/],
    ["?cursor=s1~1", /^This cursor can't be read/],
    [`?cursor=s1${"~1.1.all".repeat(9_000)}`, /^cursor is too long/],
    ["?types=", /^types are names such as/],
    ["?types=issues,no-such!", /^types are names such as/],
    [`?types=${"a,".repeat(100)}a`, /^types must name 1 to 100/],
    ["?repo=app", /^repo must be "owner\/name"/],
    ["?repo=a/b&repo=a/c", /^repo is given twice/],
    ["?types=push&types=star", /^types is given twice/],
  ])("400 for %s", async (query, sentence) => {
    for (const headers of [{}, upgrade]) {
      const response = await ask(query, headers as Record<string, string>);
      expect(response.status).toBe(400);
      expect(response.webSocket ?? null).toBeNull();
      expect(await response.json()).toEqual({ error: "invalid_request", message: expect.stringMatching(sentence) });
    }
  });

  test("400 for a Last-Event-ID that no frame ever had", async () => {
    const response = await ask("", { "Last-Event-ID": "17" });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: "invalid_request", message: expect.stringMatching(/cursor/) });
  });

  test("401 with the challenge, and 403 without the scope", async () => {
    for (const headers of [{}, upgrade]) {
      const response = await fetchLocal("/events", { headers: headers as Record<string, string> });
      expect(response.status).toBe(401);
      expect(response.headers.get("WWW-Authenticate")).toMatch(/^Bearer .*resource_metadata="/);
      await response.body?.cancel();
    }
    const scopes = DEFAULT_SCOPES.filter((scope) => scope !== "events:read");
    const response = await eventsAs(member(31, octoOrg, "all"), { scopes })("/events", { headers: upgrade });
    expect(response.status).toBe(403);
    expect(response.headers.get("WWW-Authenticate")).toMatch(/error="insufficient_scope"/);
    expect(await response.json()).toEqual({ error: "insufficient_scope", message: expect.any(String) });
  });

  test.each(["HEAD", "POST", "PUT", "DELETE", "OPTIONS"])("405 for %s", async (method) => {
    const response = await ask("", {}, method);
    expect([response.status, response.headers.get("Allow")]).toEqual([405, "GET"]);
    await response.body?.cancel();
  });

  test("a deployed Worker knows no local token", async () => {
    const request = new Request(`${DEPLOYED}/events`, { headers: { ...upgrade, Authorization: `Bearer ${TOKEN}` } });
    expect((await workerWith({})(request)).status).toBe(401);
  });
});

test("headers keep proxies from holding back, and from compressing, an event stream (bug case 41)", async () => {
  const response = await fetchSignedIn("/events", { headers: { "Accept-Encoding": "br, gzip, zstd" } });
  expect(response.status).toBe(200);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    "content-type": "text/event-stream",
    "cache-control": "no-cache, no-transform",
    "x-accel-buffering": "no",
  });
  expect(response.headers.get("content-encoding")).toBeNull();
  await response.body?.cancel();
});

test("GET /mcp is 405 with what is allowed, never an empty stream (bug case 42)", async () => {
  const response = await fetchSignedIn("/mcp", { headers: { Accept: "text/event-stream" } });
  expect([response.status, response.headers.get("Allow")]).toEqual([405, "POST, OPTIONS"]);
  await response.body?.cancel();
});

describe("what a client says on its WebSocket", () => {
  test("a ping is answered with the time, anything else is ignored", async () => {
    const stream = await openSocket();
    await stream.until(() => stream.frames.length > 0);
    const before = Date.now();
    for (const said of ["hello", "PING", '{"ping":1}', new Uint8Array([112, 105, 110, 103]), "", "ping"]) {
      stream.socket.send(said);
    }
    await stream.until(() => stream.frames.length > 1);
    expect(stream.lines.slice(1)).toEqual([expect.stringMatching(/^\{"pong":\d{13}\}$/)]);
    expect((stream.frames[1] as { pong: number }).pong).toBeGreaterThanOrEqual(before - 1);
    const id = await deliver(issue({ owner: mona }));
    expect(await stream.untilEvents(1)).toMatchObject([{ event_id: id }]);
  });

  test("a flood ends the stream, and so does a huge message; other streams don't notice", async () => {
    const bystander = await openSocket();
    const flood = await openSocket();
    for (let i = 0; i < 700; i++) flood.socket.send("ping");
    expect(await flood.ended).toBe(1008);
    const huge = await openSocket();
    huge.socket.send("x".repeat(1_000_000));
    expect(await huge.ended).toBe(1009);
    const id = await deliver(issue());
    expect(await bystander.untilEvents(1)).toMatchObject([{ event_id: id }]);
    await vi.waitFor(async () => expect(await listeners(octoOrg.id)).toBe(1), 5_000);
  });
});

describe("resuming", () => {
  test("Last-Event-ID counts before the cursor of the address, which an EventSource repeats", async () => {
    const ids = [await deliver(issue()), await deliver(issue()), await deliver(issue())];
    const first = await openEventStream("?cursor=s1");
    const events = await first.untilEvents(3);
    await first.close();
    expect(events.map(({ event_id }) => event_id)).toEqual(ids);
    const again = await openEventStream("?cursor=s1", { "Last-Event-ID": events[1]!.cursor });
    await again.until(() => again.frames.length > 0);
    expect(again.frames[0]).toMatchObject({ status: "connected", cursor: events[1]!.cursor });
    expect((await again.untilEvents(1)).map(({ event_id }) => event_id)).toEqual(ids.slice(2));
  });

  test("a summary's own cursor is taken too, as the tools give it", async () => {
    const ids: string[] = [];
    for (let n = 0; n < 6; n++) ids.push(await deliver(issue({ owner: n % 2 ? mona : octoOrg, number: n })));
    const list = await getJson<{ id: string; cursor: string }[]>("/api/pending-events", { order: "oldest" });
    const order = list.map(({ id }) => id);
    for (const [i, { cursor }] of list.entries()) {
      const stream = await openSocket(`?cursor=${cursor}`);
      const rest = await stream.untilEvents(ids.length - 1 - i);
      expect(rest.map(({ event_id }) => event_id)).toEqual(order.slice(i + 1));
      // Each frame's cursor goes on exactly behind it, in the middle of a replay as well.
      const next = rest[0] && (await openSocket(`?cursor=${rest[0].cursor}`));
      if (next) {
        const behind = await next.untilEvents(rest.length - 1);
        expect(behind.map(({ event_id }) => event_id)).toEqual(order.slice(i + 2));
      }
    }
  });

  test("what the viewer has processed meanwhile is replayed all the same: a stream tells what happened", async () => {
    const id = await deliver(issue());
    await postMark({ event_id: id });
    const stream = await openSocket("?cursor=s1");
    expect(await stream.untilEvents(1)).toMatchObject([{ event_id: id, summary: { processed: true } }]);
  });
});

test("in local mode an account's very first event reaches a stream that is open already", async () => {
  for (const [, open] of KINDS) {
    const stream = await open();
    await stream.until(() => stream.frames.length > 0);
    const owner = { ...octoOrg, id: octoOrg.id + 5 + Math.floor(Math.random() * 1e9), login: "newcomer" };
    const began = performance.now();
    const id = await deliver(issue({ owner }));
    expect(await stream.untilEvents(1)).toMatchObject([{ event_id: id }]);
    expect(performance.now() - began).toBeLessThan(5_000);
    // And the next one straight away, by the socket that is open now.
    const next = await deliver(issue({ owner }));
    expect((await stream.untilEvents(2)).map(({ event_id }) => event_id)).toEqual([id, next]);
    await stream.close();
  }
});
