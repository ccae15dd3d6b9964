/**
 * Streams where something goes wrong: stores that sleep, fall or fail, clients that don't read, access that is lost.
 * Numbers of faults are those of the predecessor's list, those of cases of the list of public bug reports.
 */
import { abortAllDurableObjects, evictAllDurableObjects, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { WebhookStore } from "../../../worker/src/store/store.ts";
import { delivery, guidOf } from "../../../worker/src/store/testing/deliveries.ts";
import type { Viewer } from "../../../worker/src/viewer.ts";
import { deliver } from "../../support/deliveries.ts";
import { failReads } from "../../support/faults.ts";
import { issue, mona, octoOrg, wipe } from "../../support/payloads.ts";
import { KINDS, listeners, openEventStream, openSocket, recordSocket, streams } from "../../support/stream.ts";
import { eventsAs, member, seat } from "../../support/viewers.ts";

afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  await streams.closeAll();
  await wipe();
});

const store = (accountId: number) => env.WEBHOOK_STORE.getByName(`store-${accountId}`);
const idsOf = (events: readonly { event_id: string }[]) => events.map(({ event_id }) => event_id);

describe.each(KINDS)("%s: stores that sleep and fall", (_, open) => {
  test("a user's and an organization's events arrive after the objects have slept (a fault that came twice)", async () => {
    await deliver(issue({ owner: octoOrg }));
    await deliver(issue({ owner: mona }));
    const stream = await open();
    await stream.until(() => stream.frames.length > 0);
    for (let round = 1; round <= 2; round++) {
      await evictAllDurableObjects();
      const ids = [await deliver(issue({ owner: octoOrg })), await deliver(issue({ owner: mona }))];
      expect(idsOf(await stream.untilEvents(2 * round)).slice(-2)).toEqual(ids);
    }
  });

  test("a store whose socket is closed is connected again, and what it stored meanwhile comes (fault 11)", async () => {
    await deliver(issue({ owner: octoOrg }));
    await deliver(issue({ owner: mona }));
    const stream = await open();
    await stream.until(() => stream.frames.length > 0);
    const ids: string[] = [];
    for (let round = 0; round < 3; round++) {
      await runInDurableObject(store(octoOrg.id), (_, state) => {
        for (const socket of state.getWebSockets()) socket.close(1011, "gone");
      });
      ids.push(await deliver(issue({ owner: octoOrg })), await deliver(issue({ owner: mona })));
    }
    expect(idsOf(await stream.untilEvents(ids.length)).sort()).toEqual(ids.toSorted());
    await vi.waitFor(async () => expect(await listeners(octoOrg.id)).toBe(1), 5_000);
  });

  test("a reset of everything in the middle loses nothing and repeats nothing (case 43)", async () => {
    const ids = [await deliver(issue())];
    const stream = await open("?cursor=s1");
    await stream.untilEvents(1);
    const reset = Object.assign(new Error("reset because its code was updated"), { durableObjectReset: true });
    vi.spyOn(WebhookStore.prototype, "since").mockRejectedValueOnce(reset);
    await abortAllDurableObjects();
    for (let n = 0; n < 3; n++) ids.push(await deliver(issue()));
    expect(idsOf(await stream.untilEvents(ids.length))).toEqual(ids);
  });

  test("a store that fails holds up nobody, and its events come when it is back", async () => {
    await deliver(issue({ owner: octoOrg }));
    await deliver(issue({ owner: mona }));
    failReads([mona.id]);
    const stream = await open();
    await stream.until(() => stream.frames.length > 0);
    const missed = await deliver(issue({ owner: mona }));
    const seen = await deliver(issue({ owner: octoOrg }));
    expect(idsOf(await stream.untilEvents(1))).toEqual([seen]);
    vi.restoreAllMocks();
    expect(idsOf(await stream.untilEvents(2))).toEqual([seen, missed]);
    // A cursor that was given while the store was silent says so of it.
    const again = await open(`?cursor=${stream.events()[0]!.cursor}`);
    expect(idsOf(await again.untilEvents(1))).toEqual([missed]);
  });
});

test("pings and heartbeats wake no store (case 44), and the next event finds its listener", async () => {
  await deliver(issue());
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const stream = await openSocket("", {}, eventsAs(member(31, octoOrg, "all")));
  await stream.until(() => stream.frames.length > 0);
  await runInDurableObject(store(octoOrg.id), (instance) => Object.assign(instance, { lived: true }));
  await evictAllDurableObjects();
  const woken = vi.spyOn(WebhookStore.prototype, "webSocketMessage");
  for (let minutes = 0; minutes < 10; minutes += 0.5) {
    stream.socket.send("ping");
    await vi.advanceTimersByTimeAsync(30_000);
  }
  await stream.until(() => stream.lines.filter((line) => line.includes("heartbeat")).length >= 20, "20 heartbeats");
  await stream.until(() => stream.lines.filter((line) => line.includes("pong")).length === 20, "20 pongs");
  expect(woken).not.toHaveBeenCalled();
  const id = await deliver(issue());
  expect(idsOf(await stream.untilEvents(1))).toEqual([id]);
  // The instance of before is gone: it had slept, and its constructor ran again.
  expect(await runInDurableObject(store(octoOrg.id), (instance) => "lived" in instance)).toBe(false);
  // The store answers pings in its sleep, so that the link to it did not count as dead.
  expect(await listeners(octoOrg.id)).toBe(1);
});

test("a link to a store that answers no ping is dead, however open it looks, and is replaced", async () => {
  await deliver(issue());
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const stream = await openSocket("", {}, eventsAs(member(31, octoOrg, "all")));
  await stream.until(() => stream.frames.length > 0);
  // No answer, and no event either.
  await runInDurableObject(store(octoOrg.id), (_, state) => {
    state.setWebSocketAutoResponse();
    for (const socket of state.getWebSockets()) socket.serializeAttachment(null);
  });
  const id = await deliver(issue());
  await vi.advanceTimersByTimeAsync(60_000);
  expect(idsOf(await stream.untilEvents(1))).toEqual([id]);
});

describe("a client that does not read (case 19)", () => {
  const EVENTS = 5_000;

  async function flood(): Promise<void> {
    for (let n = 1; n <= EVENTS; n += 100) {
      const batch = Array.from({ length: 100 }, (_, i) => store(octoOrg.id).ingest(delivery({ n: n + i })));
      for (const { outcome } of await Promise.all(batch)) expect(outcome).toBe("stored");
    }
  }
  const all = Array.from({ length: EVENTS }, (_, i) => guidOf(i + 1));
  const viewer = () => eventsAs(member(31, octoOrg, "all"));

  test("is closed with 1013, and resumes by cursor; ingest goes on", async () => {
    const response = await viewer()("/events", { headers: { Upgrade: "websocket" } });
    await vi.waitFor(async () => expect(await listeners(octoOrg.id)).toBe(1), 5_000);
    await flood();
    await vi.waitFor(async () => expect(await listeners(octoOrg.id)).toBe(0), 5_000);
    const late = recordSocket(response.webSocket!);
    expect(await late.ended).toBe(1013);
    const had = late.events();
    expect(had.length).toBeGreaterThan(0);
    expect(had.length).toBeLessThan(EVENTS);
    const bytes = late.lines.reduce((sum, line) => sum + line.length, 0);
    expect(bytes).toBeGreaterThan(1_000_000);
    expect(bytes).toBeLessThan(1_200_000);
    const again = await openSocket(`?cursor=${had.at(-1)!.cursor}`, {}, viewer());
    const rest = await again.untilEvents(EVENTS - had.length);
    expect([...idsOf(had), ...idsOf(rest)]).toEqual(all);
  });

  test("ends as an event stream, too, which resumes by its last id", async () => {
    const response = await viewer()("/events");
    await vi.waitFor(async () => expect(await listeners(octoOrg.id)).toBe(1), 5_000);
    await flood();
    await vi.waitFor(async () => expect(await listeners(octoOrg.id)).toBe(0), 5_000);
    const text = await response.text();
    expect(text.length).toBeLessThan(1_200_000);
    const ids = [...text.matchAll(/"event_id":"([^"]+)"/g)].map(([, id]) => id);
    const last = [...text.matchAll(/^id: (.+)$/gm)].at(-1)![1]!;
    const again = await openEventStream("", { "Last-Event-ID": last }, viewer());
    expect([...ids, ...idsOf(await again.untilEvents(EVENTS - ids.length))]).toEqual(all);
  });

  test("is not cut off for a long replay that it reads at its own pace", async () => {
    await flood();
    const response = await viewer()("/events?cursor=s1", { headers: { Upgrade: "websocket" } });
    // Long enough for all of it, if nothing held it back.
    await new Promise((done) => setTimeout(done, 1_000));
    const slow = recordSocket(response.webSocket!);
    expect(idsOf(await slow.untilEvents(EVENTS))).toEqual(all);
  });
});

describe("access that is lost", () => {
  const viewerOf = (ofOrganization = seat(octoOrg, [1, 2], true), ofUser = seat(mona, "all")): Viewer => ({
    userId: 31,
    accounts: [ofOrganization, ofUser],
  });
  const losses: [what: string, left: () => Viewer | null][] = [
    ["the token is revoked, or expires (fault 6)", () => null],
    ["an account is lost", () => member(31, mona, "all")],
    ["a repository is lost", () => viewerOf(seat(octoOrg, [1], true))],
    ["one is lost and another gained", () => viewerOf(seat(octoOrg, [1, 3], true))],
    ["all of an account is lost but a part", () => viewerOf(undefined, seat(mona, [1]))],
    ["ownership is lost", () => viewerOf(seat(octoOrg, [1, 2], false))],
  ];

  test.each(losses)("ends a WebSocket with 4401, an event stream with an error: %s", async (_, left) => {
    for (const account of [octoOrg, mona]) await deliver(issue({ owner: account }));
    let now: Viewer | null = viewerOf();
    const recheck = async () => now && { viewer: now, scopes: [] };
    const fetch = eventsAs(now, { recheck, recheckMs: 20 });
    const [socket, events] = [await openSocket("", {}, fetch), await openEventStream("", {}, fetch)];
    for (const stream of [socket, events]) await stream.until(() => stream.frames.length > 0);
    for (const account of [octoOrg, mona]) expect(await listeners(account.id)).toBe(2);
    expect(await Promise.race([socket.ended, events.ended, new Promise((done) => setTimeout(done, 100, "open"))])).toBe(
      "open",
    );
    now = left();
    expect(await socket.ended).toBe(4401);
    expect(await events.ended).toBe("end");
    expect(events.lines.join("\n")).toMatch(/event: error\ndata: \{"error":"access_lost","message":"[^"]+"\}\n$/);
    for (const account of [octoOrg, mona]) {
      await vi.waitFor(async () => expect(await listeners(account.id)).toBe(0), 5_000);
    }
    await deliver(issue({ owner: mona }));
    await new Promise((done) => setTimeout(done, 50));
    expect([...socket.events(), ...events.events()]).toEqual([]);
  });

  test("is noticed within 30 seconds", async () => {
    await deliver(issue());
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    let now: Viewer | null = viewerOf();
    const recheck = async () => now && { viewer: now, scopes: [] };
    const stream = await openSocket("", {}, eventsAs(now, { recheck }));
    await stream.until(() => stream.frames.length > 0);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(stream.socket.readyState).toBe(WebSocket.OPEN);
    now = null;
    await vi.advanceTimersByTimeAsync(24_000);
    expect(await stream.ended).toBe(4401);
  });

  test("is assumed when it can't be checked for 30 seconds, and not before", async () => {
    await deliver(issue());
    vi.useFakeTimers({ toFake: ["Date"] });
    let checks = 0;
    const recheck = async () => {
      checks++;
      throw new Error("the shard is out of reach");
    };
    const fetch = eventsAs(viewerOf(), { recheck, recheckMs: 20 });
    const [socket, events] = [await openSocket("", {}, fetch), await openEventStream("", {}, fetch)];
    for (const stream of [socket, events]) await stream.until(() => stream.frames.length > 0);
    vi.setSystemTime(Date.now() + 29_000);
    await vi.waitFor(() => expect(checks).toBeGreaterThan(5), 5_000);
    const id = await deliver(issue({ repository: { id: 1, name: "app" } }));
    for (const stream of [socket, events]) expect(idsOf(await stream.untilEvents(1))).toEqual([id]);
    vi.setSystemTime(Date.now() + 2_000);
    expect(await socket.ended).toBe(1013);
    expect(await events.ended).toBe("end");
    expect(events.lines.join("\n")).toMatch(/event: error\ndata: \{"error":"unavailable","message":"[^"]+"\}\n$/);
  });
});
