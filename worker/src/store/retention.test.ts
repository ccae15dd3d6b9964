import { evictDurableObject, reset, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { StoreViewer } from "../viewer.ts";
import { delivery, guidOf } from "./testing/deliveries.ts";
import { partsOn } from "./testing/parts.ts";

const DAY = 24 * 3600_000;
const owner: StoreViewer = { userId: 7, repositories: "all", version: "all" };
const limited = (userId: number, ...repositories: number[]): StoreViewer => ({
  userId,
  repositories,
  version: `v${repositories.join("_")}`,
});
const store = () => env.WEBHOOK_STORE.getByName("store-1");
const alarmAt = () => runInDurableObject(store(), (_, { storage }) => storage.getAlarm());
const ids = async (viewer = owner) =>
  (await store().list(viewer, { order: "oldest", limit: 100, filter: { include_processed: true } })).events.map(
    ({ id }) => id,
  );
const recount = () =>
  runInDurableObject(store(), (_, { storage: { sql } }) => ({
    events: sql.exec("SELECT repo, type, count(*) AS n FROM event GROUP BY repo, type ORDER BY repo, type").toArray(),
    tally: sql.exec("SELECT repo, type, n FROM tally ORDER BY repo, type").toArray(),
    chunks: sql.exec("SELECT count(*) AS n FROM chunk WHERE seq NOT IN (SELECT seq FROM event)").one().n,
  }));

beforeEach(() => {
  // From now on only forwards: the runtime fires an alarm by its own clock, and one in the past at once.
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
});
afterEach(async () => {
  vi.useRealTimers();
  await reset();
});
const advance = (days: number) => vi.setSystemTime(Date.now() + days * DAY);

describe("what is removed", () => {
  it("removes events after three days once every active viewer who sees them has processed them", async () => {
    await store().ingest(delivery({ n: 1, repo: 10 }));
    await store().ingest(delivery({ n: 2, repo: 20, chunks: [new Uint8Array(10), new Uint8Array(10)] }));
    await store().status(limited(8, 10));
    await store().mark(owner, [guidOf(1), guidOf(2)]);
    advance(3.1);
    // Event 1 waits for viewer 8, who looked in four days ago; event 2 is none of theirs.
    expect(await store().mark(owner, [guidOf(1)])).toMatchObject({ purged: 1 });
    expect(await ids()).toEqual([guidOf(1)]);
    expect((await store().mark(limited(8, 10), [guidOf(1)])).purged).toBe(1);
    expect(await ids()).toEqual([]);
    expect(await recount()).toEqual({ events: [], tally: [], chunks: 0 });
  });

  it("does not wait for a viewer who has not come for a week", async () => {
    await store().ingest(delivery({ n: 1 }));
    await store().status(limited(8, 10));
    advance(7.5);
    await store().mark(owner, [guidOf(1)]);
    expect(await ids()).toEqual([]);
  });

  it("keeps what is pending for ninety days, then removes it by alarm", async () => {
    await store().ingest(delivery({ n: 1 }));
    advance(89);
    await runDurableObjectAlarm(store());
    expect(await ids()).toEqual([guidOf(1)]);
    advance(1.1);
    expect(await alarmAt()).toBeLessThanOrEqual(Date.now());
    await runDurableObjectAlarm(store());
    expect(await ids()).toEqual([]);
    expect((await store().status(owner)).types).toEqual({});
    expect(await alarmAt()).toBeNull();
  });

  it("keeps counting from the head when everything was removed, even after an eviction", async () => {
    await store().ingest(delivery({ n: 1 }));
    const { position } = await store().status(owner);
    advance(91);
    await runDurableObjectAlarm(store());
    await evictDurableObject(store());
    await store().ingest(delivery({ n: 2 }));
    const page = await store().since(owner, position, {}, 10);
    expect(page.events.map(({ event }) => [event.id, event.seq])).toEqual([[guidOf(2), 2]]);
  });

  it("empties the store thirty days after the App was uninstalled, unless it came back", async () => {
    await store().ingest(delivery({ n: 1 }));
    await store().ingest(delivery({ n: 2, type: "installation", exempt: true, lifecycle: "uninstalled" }));
    advance(29);
    await store().ingest(delivery({ n: 3, type: "installation", exempt: true, lifecycle: "installed" }));
    advance(2);
    await runDurableObjectAlarm(store());
    expect(await ids()).toHaveLength(3);
    await store().ingest(delivery({ n: 4, type: "installation", exempt: true, lifecycle: "uninstalled" }));
    advance(30.1);
    await runDurableObjectAlarm(store());
    expect(await ids()).toEqual([]);
    await runInDurableObject(store(), (_, { storage: { sql } }) => {
      expect(sql.exec("SELECT count(*) AS n FROM viewer").one().n).toBe(1);
    });
  });
});

describe("the volume cap", () => {
  const big = () => Array.from({ length: 4 }, () => crypto.getRandomValues(new Uint8Array(60_000)));

  it("drops the oldest processed, then the oldest, and says how many were lost unread", async () => {
    for (let n = 1; n <= 20; n++) await store().ingest(delivery({ n, repo: n % 2 ? 10 : 20, chunks: big() }));
    await store().mark(owner, [guidOf(5), guidOf(6)]);
    const swept = await runInDurableObject(store(), (_, { storage }) => {
      const { retention } = partsOn(storage, { maxStoreBytes: Math.floor(storage.sql.databaseSize * 0.7) });
      return { removed: retention.sweep(Date.now()), over: retention.overCap() };
    });
    await evictDurableObject(store());
    expect(swept.over).toBe(false);
    const left = await ids();
    expect(left).not.toContain(guidOf(5));
    expect(left).not.toContain(guidOf(6));
    expect(left).toContain(guidOf(20));
    expect(left).toHaveLength(20 - swept.removed);
    expect(left.length).toBeGreaterThan(8);
    expect(left).toEqual([...left].sort());
    const { dropped, types } = await store().status(owner);
    expect(dropped).toBe(20 - 2 - left.length);
    expect(types).toEqual({ issues: left.length });
    expect((await store().status(limited(8, 10))).dropped).toBeLessThan(dropped);
    expect((await store().status(limited(8, 99))).dropped).toBe(0);
    advance(8);
    expect((await store().status(owner)).dropped).toBe(0);
    const { events, tally } = await recount();
    expect(tally).toEqual(events);
  });
});

it("counts for each viewer what a recount counts, whatever was purged", async () => {
  for (let n = 1; n <= 60; n++)
    await store().ingest(delivery({ n, repo: 10 * (1 + (n % 3)), type: n % 2 ? "issues" : "push" }));
  await store().mark(owner, [3, 4, 5, 20, 31, 32, 33, 59].map(guidOf));
  await store().markUpTo(limited(8, 10, 20), 30, {});
  advance(4);
  await store().ingest(delivery({ n: 61, repo: 10 }));
  await store().mark(owner, [guidOf(60)]);
  for (const viewer of [owner, limited(8, 10, 20)]) {
    const { events } = await store().list(viewer, { order: "newest", limit: 100, filter: {} });
    const types: Record<string, number> = {};
    for (const { type } of events) types[type] = (types[type] ?? 0) + 1;
    expect((await store().status(viewer)).types).toEqual(types);
  }
  expect((await recount()).tally).toEqual((await recount()).events);
});
