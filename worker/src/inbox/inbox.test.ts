import { decodeCursor } from "@github-webhook-mcp/shared/cursor.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ViewerAccount } from "../viewer.ts";
import { Inbox } from "./inbox.ts";
import { byAge } from "./order.ts";
import { FakeStores } from "./testing/fake-store.ts";

const T = Date.UTC(2026, 10, 30);

function account(accountId: number, repositories: ViewerAccount["repositories"] = "all"): ViewerAccount {
  return { accountId, login: `account-${accountId}`, repositories, orgOwner: repositories === "all" };
}

function inboxOf(stores: FakeStores, ...accounts: ViewerAccount[]): Inbox {
  return new Inbox({ stores, viewer: { userId: 7, accounts }, now: () => T + 1_000_000 });
}

const one = (stores: FakeStores) => inboxOf(stores, account(1));
const two = (stores: FakeStores) => inboxOf(stores, account(1), account(2));

async function allPages(
  inbox: Inbox,
  order: "newest" | "oldest",
  limit: number,
  filter = {},
  between: () => void = () => {},
): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < 500; page++) {
    const { events, nextCursor } = await inbox.list({ order, limit, filter, cursor });
    ids.push(...events.map(({ id }) => id));
    if (nextCursor === undefined) return ids;
    cursor = nextCursor;
    between();
  }
  throw new Error("paging does not end");
}

/** Events over up to five stores, with few distinct times so that equal ones are common. */
const spread = fc.record({
  events: fc.array(
    fc.record({ account: fc.integer({ min: 1, max: 5 }), step: fc.nat({ max: 1 }), wanted: fc.boolean() }),
    { maxLength: 40 },
  ),
  limit: fc.integer({ min: 1, max: 7 }),
  rowBudget: fc.constantFrom(1, 2, 3, 1_000),
});

function fill({
  events,
  rowBudget,
}: {
  events: { account: number; step: number; wanted: boolean }[];
  rowBudget: number;
}) {
  const stores = new FakeStores();
  let receivedAt = T;
  const places = events.map(({ account, step, wanted }, i) => {
    receivedAt += step;
    const store = stores.store(account);
    store.rowBudget = rowBudget;
    const { seq } = store.add({ id: `e${i}`, type: wanted ? "push" : "star", receivedAt });
    return { id: `e${i}`, wanted, accountId: account, receivedAt, seq };
  });
  const inbox = inboxOf(stores, ...[1, 2, 3, 4, 5].map((id) => account(id)));
  return { stores, inbox, ordered: places.sort(byAge) };
}

describe("list", () => {
  it("pages through many stores newest first, every event once, in the total order", async () => {
    await fc.assert(
      fc.asyncProperty(spread, async (world) => {
        const { inbox, ordered } = fill(world);
        const expected = ordered.filter(({ wanted }) => wanted).map(({ id }) => id);
        expect(await allPages(inbox, "newest", world.limit, { types: ["push"] })).toEqual(expected.toReversed());
      }),
    );
  });

  it("pages through many stores oldest first, every event once, in the total order", async () => {
    await fc.assert(
      fc.asyncProperty(spread, async (world) => {
        const { inbox, ordered } = fill(world);
        const expected = ordered.filter(({ wanted }) => wanted).map(({ id }) => id);
        expect(await allPages(inbox, "oldest", world.limit, { types: ["push"] })).toEqual(expected);
      }),
    );
  });

  it("neither loses nor repeats what was there while new events arrive between the pages", async () => {
    await fc.assert(
      fc.asyncProperty(spread, async (world) => {
        const { inbox, ordered, stores } = fill(world);
        let extra = 0;
        const ids = await allPages(inbox, "newest", world.limit, {}, () => {
          stores.store((extra % 5) + 1).add({ id: `late${extra++}`, receivedAt: T + 1_000 });
        });
        expect(ids).toEqual(ordered.map(({ id }) => id).toReversed());
      }),
    );
  });

  it.each(["newest", "oldest"] as const)(
    "goes on %s first where a selective filter found nothing for a whole page",
    async (order) => {
      const stores = new FakeStores();
      for (const id of [1, 2]) stores.store(id).rowBudget = 3;
      for (let i = 0; i < 200; i++) {
        const wanted = i % 90 === 5;
        stores.store((i % 2) + 1).add({ id: `e${i}`, type: wanted ? "push" : "star", receivedAt: T + i });
      }
      const found = ["e5", "e95", "e185"];
      const expected = order === "newest" ? found.toReversed() : found;
      expect(await allPages(two(stores), order, 2, { types: ["push"] })).toEqual(expected);
    },
  );

  it("goes on from each summary's own cursor as from a page's", async () => {
    await fc.assert(
      fc.asyncProperty(spread, async (world) => {
        const { inbox, ordered } = fill({ ...world, rowBudget: 1_000 });
        const { events } = await inbox.list({ order: "newest", limit: 100, filter: {} });
        const ids = ordered.map(({ id }) => id).toReversed();
        for (const [i, { cursor }] of events.entries()) {
          const below = await inbox.list({ order: "newest", limit: 100, filter: {}, cursor });
          expect(below.events.map(({ id }) => id)).toEqual(ids.slice(i + 1));
          const above = await inbox.list({ order: "oldest", limit: 100, filter: {}, cursor });
          expect(above.events.map(({ id }) => id)).toEqual(ids.slice(0, i).toReversed());
        }
      }),
      { numRuns: 30 },
    );
  });

  it("gives the events up to a status's cursor newest first, and those after it oldest first", async () => {
    const stores = new FakeStores();
    stores.store(1).add({ id: "a", receivedAt: T });
    const inbox = two(stores);
    const { cursor } = await inbox.status();
    stores.store(1).add({ id: "b", receivedAt: T });
    stores.store(2).add({ id: "c", receivedAt: T });
    expect((await inbox.list({ order: "newest", limit: 9, filter: {}, cursor })).events).toMatchObject([{ id: "a" }]);
    expect((await inbox.list({ order: "oldest", limit: 9, filter: {}, cursor })).events).toMatchObject([
      { id: "b" },
      { id: "c" },
    ]);
  });

  it("delivers events that became visible behind the cursor once", async () => {
    const stores = new FakeStores();
    const store = stores.store(1);
    for (const [i, repository] of [1, 2, 1, 2].entries()) store.add({ id: `e${i}`, repository, receivedAt: T + i });
    const before = inboxOf(stores, account(1, new Set([1])));
    const { cursor } = await before.status();
    const after = inboxOf(stores, account(1, new Set([1, 2])));
    const ids: string[] = [];
    for (let next: string | undefined = cursor; next; ) {
      const page = await after.list({ order: "oldest", limit: 1, filter: {}, cursor: next });
      ids.push(...page.events.map(({ id }) => id));
      next = page.nextCursor;
    }
    expect(ids).toEqual(["e1", "e3"]);
  });

  it("writes the fifteen compatible fields in their order, and others only where they say something", async () => {
    const stores = new FakeStores();
    stores.store(1).add({ id: "a", receivedAt: T, summary: { title: "t", sender_type: "Bot" } });
    const { events } = await one(stores).list({ order: "newest", limit: 1, filter: {} });
    expect(Object.keys(events[0]!)).toEqual([
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
      "sender_type",
      "cursor",
    ]);
    expect(events[0]).toMatchObject({ received_at: "2026-11-30T00:00:00.000Z", title: "t", conclusion: null });
  });

  it("refuses a cursor that it never gave", async () => {
    await expect(
      one(new FakeStores()).list({ order: "newest", limit: 1, filter: {}, cursor: "x" }),
    ).rejects.toMatchObject({ code: "invalid" });
  });
});

describe("a store that fails", () => {
  it("leaves the others' events in place and is named", async () => {
    const stores = new FakeStores();
    stores.store(1).add({ id: "a", receivedAt: T });
    stores.store(2).failing = true;
    const inbox = two(stores);
    const named = { unavailable: [{ account_id: 2, login: "account-2" }] };
    expect(await inbox.status()).toMatchObject({ pending: 1, ...named });
    expect(await inbox.list({ order: "newest", limit: 5, filter: {} })).toMatchObject({
      events: [{ id: "a" }],
      ...named,
    });
    expect(await inbox.list({ order: "oldest", limit: 5, filter: {} })).toMatchObject({
      events: [{ id: "a" }],
      ...named,
    });
    expect(await inbox.search("null", {}, 5)).toMatchObject({ events: [{ id: "a" }], ...named });
    expect(await inbox.withPayloads({ limit: 5, filter: {} }, 100)).toMatchObject({
      events: [{ row: { id: "a" } }],
      ...named,
    });
    expect(await inbox.event("a")).toMatchObject({ id: "a" });
    expect(await inbox.mark(["a"])).toEqual({ marked: 1, purged: 0 });
  });

  it("turns an event that was not found elsewhere into `unavailable`, not into `not found`", async () => {
    const stores = new FakeStores();
    stores.store(2).failing = true;
    await expect(two(stores).event("b")).rejects.toMatchObject({ code: "unavailable" });
    await expect(two(stores).mark(["b"])).rejects.toMatchObject({ code: "unavailable" });
  });

  it("is an error, never an all-clear, when it is the only one", async () => {
    const stores = new FakeStores();
    stores.store(1).failing = true;
    const inbox = one(stores);
    const message = expect.stringContaining("account-1 (account 1)");
    await expect(inbox.status()).rejects.toMatchObject({ code: "unavailable", message });
    await expect(inbox.list({ order: "newest", limit: 5, filter: {} })).rejects.toMatchObject({ code: "unavailable" });
    await expect(inbox.list({ order: "oldest", limit: 5, filter: {} })).rejects.toMatchObject({ code: "unavailable" });
    await expect(inbox.search("x", {}, 5)).rejects.toMatchObject({ code: "unavailable" });
    await expect(inbox.head()).rejects.toMatchObject({ code: "unavailable" });
  });

  it("keeps its place in an oldest-first list, and its events come when it is back", async () => {
    const stores = new FakeStores();
    for (const id of [1, 2]) for (const n of [0, 1]) stores.store(id).add({ id: `${id}${n}`, receivedAt: T + n });
    const inbox = two(stores);
    const first = await inbox.list({ order: "oldest", limit: 1, filter: {} });
    stores.store(2).failing = true;
    const second = await inbox.list({ order: "oldest", limit: 5, filter: {}, cursor: first.nextCursor });
    expect(second).toMatchObject({ events: [{ id: "11" }], unavailable: [{ account_id: 2 }] });
    stores.store(2).failing = false;
    const since = await inbox.since(decodeCursor(first.nextCursor!), {}, 10);
    expect(since.events.map(({ row }) => row.id)).toEqual(["20", "11", "21"]);
  });
});

describe("fan-out", () => {
  it("keeps at most six store calls under way", async () => {
    const stores = new FakeStores();
    let now = 0;
    let most = 0;
    const slow = {
      store: (id: number) =>
        new Proxy(stores.store(id), {
          get: (store, name) =>
            name === "status"
              ? async (viewer: never) => {
                  most = Math.max(most, ++now);
                  await new Promise((resolve) => setTimeout(resolve, 2));
                  now--;
                  return store.status(viewer);
                }
              : undefined,
        }),
    };
    const accounts = Array.from({ length: 40 }, (_, id) => account(id));
    await new Inbox({ stores: slow, viewer: { userId: 7, accounts } }).status();
    expect(most).toBe(6);
  });
});

describe("status", () => {
  it("adds the stores up, the most frequent type first, with the newest time", async () => {
    const stores = new FakeStores();
    stores.store(1).add({ id: "a", type: "push", receivedAt: T });
    stores.store(2).add({ id: "b", type: "issues", receivedAt: T + 5 });
    stores.store(2).add({ id: "c", type: "issues", receivedAt: T + 5 });
    stores.store(2).dropped = 3;
    const status = await two(stores).status();
    expect(status).toMatchObject({ pending: 3, latestReceivedAt: T + 5, dropped: 3 });
    expect(Object.entries(status.types)).toEqual([
      ["issues", 2],
      ["push", 1],
    ]);
  });
});

describe("withPayloads", () => {
  it("stops at the byte budget with a cursor, and the pages together hold each event once", async () => {
    const stores = new FakeStores();
    const payload = JSON.stringify({ text: "x".repeat(90) });
    for (let i = 0; i < 9; i++) stores.store((i % 2) + 1).add({ id: `e${i}`, receivedAt: T + i, payload });
    const inbox = two(stores);
    const ids: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await inbox.withPayloads({ limit: 100, filter: {}, cursor }, 350);
      expect(page.events.length).toBeLessThanOrEqual(3);
      ids.push(...page.events.map(({ row }) => row.id));
      cursor = page.nextCursor;
    } while (cursor);
    expect(ids).toEqual(["e8", "e7", "e6", "e5", "e4", "e3", "e2", "e1", "e0"]);
  });

  it("gives an event that is larger than the budget alone", async () => {
    const stores = new FakeStores();
    for (let i = 0; i < 2; i++) stores.store(1).add({ id: `e${i}`, receivedAt: T, payload: `"${"x".repeat(500)}"` });
    const page = await one(stores).withPayloads({ limit: 5, filter: {} }, 100);
    expect(page.events).toMatchObject([{ row: { id: "e1", payloadSize: 502 } }]);
    expect(page.nextCursor).toBeDefined();
  });
});

describe("search", () => {
  it("merges the stores' matches by rank", async () => {
    const stores = new FakeStores();
    stores.store(1).add({ id: "long", receivedAt: T, summary: { title: `needle ${"hay ".repeat(20)}` } });
    stores.store(2).add({ id: "short", receivedAt: T, summary: { title: "needle" } });
    stores.store(2).add({ id: "none", receivedAt: T, summary: { title: "hay" } });
    expect((await two(stores).search("needle", {}, 5)).events).toMatchObject([{ id: "short" }, { id: "long" }]);
  });

  it("refuses an empty query", async () => {
    await expect(one(new FakeStores()).search("  ", {}, 5)).rejects.toMatchObject({ code: "invalid" });
  });
});

describe("mark", () => {
  it("finds the event in whichever store holds it", async () => {
    const stores = new FakeStores();
    stores.store(2).add({ id: "b", receivedAt: T });
    const inbox = two(stores);
    expect(await inbox.mark(["b"])).toEqual({ marked: 1, purged: 0 });
    expect(await inbox.mark(["b"])).toEqual({ marked: 0, purged: 0 });
    expect((await inbox.status()).pending).toBe(0);
  });

  it("names an id that is unknown, or not this viewer's to see, and marks the rest", async () => {
    const stores = new FakeStores();
    stores.store(1).add({ id: "a", repository: 1, receivedAt: T });
    stores.store(1).add({ id: "secret", repository: 2, receivedAt: T });
    const inbox = inboxOf(stores, account(1, new Set([1])));
    await expect(inbox.mark(["a", "secret"])).rejects.toMatchObject({
      code: "not_found",
      message: "Event secret not found. The other 1 are marked.",
    });
    expect((await inbox.status()).pending).toBe(0);
    expect((await one(stores).status()).pending).toBe(1);
  });

  it("marks up to a cursor what matches the filter, and nothing newer", async () => {
    await fc.assert(
      fc.asyncProperty(spread, async (world) => {
        const { inbox, ordered } = fill({ ...world, rowBudget: 1_000 });
        const { events } = await inbox.list({ order: "newest", limit: 100, filter: {} });
        const middle = Math.floor(ordered.length / 2);
        const cursor = events.toReversed()[middle]?.cursor;
        if (!cursor) return;
        const { marked } = await inbox.markUpTo(cursor, { types: ["push"] });
        const gone = ordered.filter(({ wanted }, i) => wanted && i <= middle);
        expect(marked).toBe(gone.length);
        const left = await inbox.list({ order: "oldest", limit: 100, filter: {} });
        expect(left.events.map(({ id }) => id)).toEqual(
          ordered.filter((event) => !gone.includes(event)).map(({ id }) => id),
        );
      }),
      { numRuns: 30 },
    );
  });

  it("marks nothing in a store that gave no answer when the cursor was made", async () => {
    const stores = new FakeStores();
    for (const id of [1, 2]) stores.store(id).add({ id: `e${id}`, receivedAt: T });
    const inbox = two(stores);
    stores.store(2).failing = true;
    const { cursor } = await inbox.status();
    stores.store(2).failing = false;
    expect(await inbox.markUpTo(cursor, {})).toMatchObject({ marked: 1 });
    expect((await inbox.list({ order: "newest", limit: 5, filter: {} })).events).toMatchObject([{ id: "e2" }]);
  });

  it("leaves an account alone where access has changed since the cursor was made", async () => {
    const stores = new FakeStores();
    for (const [i, repository] of [1, 2].entries()) stores.store(1).add({ id: `e${i}`, repository, receivedAt: T });
    const { cursor } = await inboxOf(stores, account(1, new Set([1]))).status();
    const grown = inboxOf(stores, account(1, new Set([1, 2])));
    expect(await grown.markUpTo(cursor, {})).toMatchObject({ marked: 0, changed: ["account-1"] });
  });
});
