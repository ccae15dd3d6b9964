import { evictDurableObject, reset, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";
import type { StoreViewer } from "../viewer.ts";
import { delivery, guidOf } from "./testing/deliveries.ts";

afterEach(() => reset());

const store = () => env.WEBHOOK_STORE.getByName("store-1");
const owner: StoreViewer = { userId: 7, repositories: "all", version: "all" };
const limited = (userId: number, ...repositories: number[]): StoreViewer => ({
  userId,
  repositories,
  version: `v${repositories.join("_")}`,
});
const newest = { order: "newest", limit: 100, filter: {} } as const;

describe("ingest", () => {
  it("stores a delivery under its GUID and gives it back whole", async () => {
    const chunks = [new Uint8Array(1000).fill(1), new Uint8Array(1000).fill(2), new Uint8Array(10).fill(3)];
    expect(await store().ingest(delivery({ n: 1, chunks }))).toEqual({ outcome: "stored", id: guidOf(1) });
    const event = await store().event(owner, guidOf(1));
    expect(event).toMatchObject({
      seq: 1,
      type: "issues",
      repository: 10,
      processed: false,
      deliveryId: null,
      payloadSize: 2010,
    });
    expect(event?.payload.chunks.map((chunk) => [chunk.length, chunk[0]])).toEqual([
      [1000, 1],
      [1000, 2],
      [10, 3],
    ]);
  });

  it("accepts a redelivery and changes nothing, processed state and position included", async () => {
    await store().ingest(delivery({ n: 1, title: "first" }));
    await store().ingest(delivery({ n: 2 }));
    await store().mark(owner, [guidOf(1)]);
    expect(await store().ingest(delivery({ n: 1, title: "changed" }))).toEqual({ outcome: "duplicate", id: guidOf(1) });
    const event = await store().event(owner, guidOf(1));
    expect(event).toMatchObject({ seq: 1, processed: true });
    expect(JSON.parse(event!.summary).title).toBe("first");
    expect((await store().status(owner)).types).toEqual({ issues: 1 });
  });

  it("keeps two deliveries of one GUID from two hooks as two events, each found by its id", async () => {
    const first = await store().ingest(delivery({ n: 1, hook: 1, title: "one" }));
    const second = await store().ingest(delivery({ n: 1, hook: 2, title: "two" }));
    expect(second).toMatchObject({ outcome: "stored" });
    const ids = [first, second].map((result) => (result as { id: string }).id);
    expect(new Set(ids).size).toBe(2);
    const events = await Promise.all(ids.map((id) => store().event(owner, id)));
    expect(events.map((event) => JSON.parse(event!.summary).title)).toEqual(["one", "two"]);
    expect(events[1]?.deliveryId).toBe(guidOf(1));
    expect(await store().ingest(delivery({ n: 1, hook: 2 }))).toEqual({ outcome: "duplicate", id: ids[1] });
  });

  it("recognises a redelivery after the object was evicted", async () => {
    await store().ingest(delivery({ n: 1 }));
    await evictDurableObject(store());
    expect(await store().ingest(delivery({ n: 1 }))).toMatchObject({ outcome: "duplicate" });
  });

  it("answers each of many deliveries at once with its own id, in one order", async () => {
    const results = await Promise.all(
      Array.from({ length: 200 }, (_, i) => store().ingest(delivery({ n: 1 + (i % 150) }))),
    );
    expect(results.map((result) => (result as { id: string }).id)).toEqual(
      Array.from({ length: 200 }, (_, i) => guidOf(1 + (i % 150))),
    );
    expect(results.filter(({ outcome }) => outcome === "duplicate")).toHaveLength(50);
    expect((await store().status(owner)).types).toEqual({ issues: 150 });
  });
});

describe("quota", () => {
  const spend = () => env.TENANT_REGISTRY.getByName("registry").lease(1, 1_000_000);

  it("refuses with the seconds to the window's end when it is spent, but still accepts redeliveries and exempt events", async () => {
    await store().ingest(delivery({ n: 1 }));
    const { granted } = await spend();
    expect(granted).toBeGreaterThan(9_000);
    const left = Array.from({ length: 249 }, (_, i) => store().ingest(delivery({ n: 2 + i })));
    expect((await Promise.all(left)).every(({ outcome }) => outcome === "stored")).toBe(true);
    const refused = await store().ingest(delivery({ n: 1000 }));
    expect(refused).toMatchObject({ outcome: "quota" });
    expect((refused as { retryAfterSeconds: number }).retryAfterSeconds).toBeGreaterThan(0);
    expect((refused as { retryAfterSeconds: number }).retryAfterSeconds).toBeLessThanOrEqual(3600);
    expect(await store().ingest(delivery({ n: 1 }))).toMatchObject({ outcome: "duplicate" });
    expect(await store().ingest(delivery({ n: 2000, type: "installation", exempt: true }))).toMatchObject({
      outcome: "stored",
    });
    expect(await store().ingest(delivery({ n: 1001 }))).toMatchObject({ outcome: "quota" });
  });

  it("keeps the lease over an eviction: what was granted is used once, and used up", async () => {
    await store().ingest(delivery({ n: 1 }));
    await spend();
    await evictDurableObject(store());
    const results = await Promise.all(Array.from({ length: 260 }, (_, i) => store().ingest(delivery({ n: 2 + i }))));
    expect(results.filter(({ outcome }) => outcome === "stored")).toHaveLength(249);
    expect(results.filter(({ outcome }) => outcome === "quota")).toHaveLength(11);
  });
});

describe("who sees what", () => {
  it("shows each viewer the events of their repositories, and repository-less ones to those who may", async () => {
    await store().ingest(delivery({ n: 1, repo: 10 }));
    await store().ingest(delivery({ n: 2, repo: 20 }));
    await store().ingest(delivery({ n: 3, repo: 0, type: "organization" }));
    const seen = async (viewer: StoreViewer) => (await store().list(viewer, newest)).events.map(({ id }) => id);
    expect(await seen(owner)).toEqual([guidOf(3), guidOf(2), guidOf(1)]);
    expect(await seen(limited(8, 10))).toEqual([guidOf(1)]);
    expect(await seen(limited(9, 0, 20))).toEqual([guidOf(3), guidOf(2)]);
    expect(await seen(limited(9))).toEqual([]);
    expect(await store().event(limited(8, 10), guidOf(2))).toBeNull();
    expect(await store().search(limited(8, 10), { query: "event", limit: 10, filter: {} })).toHaveLength(1);
    expect((await store().status(limited(8, 10))).types).toEqual({ issues: 1 });
  });

  it("marks only what the viewer sees, for that viewer alone", async () => {
    await store().ingest(delivery({ n: 1, repo: 10 }));
    await store().ingest(delivery({ n: 2, repo: 20 }));
    const result = await store().mark(limited(8, 10), [guidOf(1), guidOf(2), guidOf(77), "nonsense"]);
    expect(result).toMatchObject({ found: [guidOf(1)], marked: 1 });
    expect((await store().status(limited(8, 10))).types).toEqual({});
    expect((await store().status(owner)).types).toEqual({ issues: 2 });
    expect((await store().mark(limited(8, 10), [guidOf(1)])).found).toEqual([guidOf(1)]);
  });

  it("delivers what became visible once, although the position had moved past it", async () => {
    for (const [n, repo] of [
      [1, 10],
      [2, 20],
      [3, 10],
      [4, 20],
      [5, 30],
    ] as const)
      await store().ingest(delivery({ n, repo }));
    const before = limited(8, 10);
    const first = await store().since(before, undefined, {}, 100);
    expect(first.events.map(({ event }) => event.id)).toEqual([guidOf(1), guidOf(3)]);
    await store().ingest(delivery({ n: 6, repo: 10 }));
    const after = limited(8, 10, 20);
    const page = await store().since(after, first.position, {}, 1);
    expect(page.events.map(({ event }) => event.id)).toEqual([guidOf(2)]);
    await evictDurableObject(store());
    const rest = await store().since(after, page.events[0]!.position, {}, 100);
    expect(rest.events.map(({ event }) => event.id)).toEqual([guidOf(4), guidOf(6)]);
    expect(rest.more).toBe(false);
    expect((await store().since(after, rest.position, {}, 100)).events).toEqual([]);
  });

  it("knows the access of any list's cursors later: only what became visible comes again", async () => {
    for (const [n, repo] of [
      [1, 10],
      [2, 20],
      [3, 10],
    ] as const)
      await store().ingest(delivery({ n, repo }));
    const before = limited(8, 10);
    await store().list(before, newest);
    await evictDurableObject(store());
    const page = await store().since(limited(8, 10, 20), { seq: 3, version: before.version }, {}, 100);
    expect(page.events.map(({ event }) => event.id)).toEqual([guidOf(2)]);
  });

  it("tells apart two repositories that had one name: the id decides", async () => {
    await store().ingest(delivery({ n: 1, repo: 10, repoName: "octo/app" }));
    await store().ingest(delivery({ n: 2, repo: 10, repoName: "octo/app-old" }));
    await store().ingest(delivery({ n: 3, repo: 20, repoName: "octo/app" }));
    const filter = { repo: "Octo/App" };
    expect((await store().list(owner, { ...newest, filter })).events.map(({ id }) => id)).toEqual([guidOf(3)]);
    const old = await store().list(owner, { ...newest, filter: { repo: "octo/app-old" } });
    expect(old.events.map(({ id }) => id)).toEqual([guidOf(2), guidOf(1)]);
  });
});

describe("search", () => {
  const find = async (query: string, viewer = owner) =>
    (await store().search(viewer, { query, limit: 10, filter: {} })).map(({ id }) => id);

  it("finds by words of title and body, stems them, and ranks titles first", async () => {
    await store().ingest(delivery({ n: 1, title: "Deploy fails on ARM", body: "nothing" }));
    await store().ingest(delivery({ n: 2, title: "Other", body: "the deployment was failing again" }));
    await store().ingest(delivery({ n: 3, title: "unrelated", body: "x" }));
    expect(await find("deploy fail")).toEqual([guidOf(1), guidOf(2)]);
    expect(await find("mona")).toHaveLength(3);
  });

  it("takes any text as a search, never as syntax", async () => {
    await store().ingest(delivery({ n: 1, title: `a "quoted" title: NEAR(x) AND` }));
    for (const query of [
      '"',
      "AND",
      "title:",
      "NEAR(",
      "a OR",
      "*",
      "-",
      "{x}",
      "'; DROP TABLE event; --",
      "\0",
      "🙂",
      "(".repeat(500),
    ]) {
      await expect(find(query)).resolves.toBeInstanceOf(Array);
    }
    expect(await find('"quoted" AND (')).toEqual([guidOf(1)]);
  });

  it("finds Japanese and Chinese text by any part of it", async () => {
    await store().ingest(delivery({ n: 1, title: "本番環境で認証が失敗する" }));
    expect(await find("認証")).toEqual([guidOf(1)]);
    expect(await find("環境で")).toEqual([guidOf(1)]);
    expect(await find("証認")).toEqual([]);
  });
});

describe("counters", () => {
  it("agree with a recount after a commit in which one delivery failed", async () => {
    const bad = { ...delivery({ n: 2 }), type: null as unknown as string };
    const results = await Promise.allSettled([
      store().ingest(delivery({ n: 1 })),
      store().ingest(bad),
      store().ingest(delivery({ n: 3 })),
    ]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect((await store().status(owner)).types).toEqual({ issues: 2 });
    await runInDurableObject(store(), (_, { storage: { sql } }) => {
      expect(sql.exec("SELECT count(*) AS n FROM event").one().n).toBe(2);
      expect(sql.exec("SELECT sum(n) AS n FROM tally").one().n).toBe(2);
    });
  });
});
