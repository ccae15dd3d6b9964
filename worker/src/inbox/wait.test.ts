import { describe, expect, it } from "vitest";
import { Inbox } from "./inbox.ts";
import { FakeStores } from "./testing/fake-store.ts";
import { waitForEvents } from "./wait.ts";

const T = Date.UTC(2026, 10, 30);

function setUp() {
  const stores = new FakeStores();
  const accounts = [1, 2].map((accountId) => ({
    accountId,
    login: `account-${accountId}`,
    repositories: "all" as const,
    orgOwner: true,
  }));
  return { stores, inbox: new Inbox({ stores, viewer: { userId: 7, accounts } }) };
}

function wait(
  inbox: Inbox,
  request: { cursor?: string; timeoutMs?: number; types?: string[]; signal?: AbortSignal } = {},
) {
  const { cursor, timeoutMs = 5_000, types, signal = new AbortController().signal } = request;
  return waitForEvents(inbox, { cursor, timeoutMs, filter: types ? { types } : {}, limit: 20, signal });
}

const ids = ({ events }: { events: { row: { id: string } }[] }) => events.map(({ row }) => row.id);

/** Until the waiting call has its sockets, and has read the stores once more. */
async function listening(stores: FakeStores, account = 1): Promise<void> {
  const store = stores.store(account);
  while (store.listeners === 0 || store.calls.at(-1) !== "since")
    await new Promise((resolve) => setTimeout(resolve, 1));
}

describe("waitForEvents", () => {
  it("answers as soon as something newer than now arrives, in whichever store", async () => {
    const { stores, inbox } = setUp();
    stores.store(1).add({ id: "old", receivedAt: T });
    const answer = wait(inbox);
    await listening(stores, 2);
    stores.store(2).add({ id: "new", receivedAt: T + 1 });
    const result = await answer;
    expect(ids(result)).toEqual(["new"]);
    expect(result.more).toBe(false);
  });

  it("answers at once with what came after the cursor, and its next cursor goes on from there", async () => {
    const { stores, inbox } = setUp();
    const { cursor } = await wait(inbox, { timeoutMs: 1 });
    stores.store(1).add({ id: "a", receivedAt: T });
    const first = await wait(inbox, { cursor });
    expect(ids(first)).toEqual(["a"]);
    stores.store(2).add({ id: "b", receivedAt: T });
    expect(ids(await wait(inbox, { cursor: first.cursor }))).toEqual(["b"]);
  });

  it("takes a summary's cursor too", async () => {
    const { stores, inbox } = setUp();
    for (const [i, id] of ["a", "b", "c"].entries()) stores.store((i % 2) + 1).add({ id, receivedAt: T });
    const { events } = await inbox.list({ order: "newest", limit: 1, filter: {}, cursor: undefined });
    expect(events).toMatchObject([{ id: "b" }]);
    const oldest = await inbox.list({ order: "oldest", limit: 1, filter: {} });
    expect(ids(await wait(inbox, { cursor: oldest.events[0]!.cursor }))).toEqual(["c", "b"]);
  });

  it("returns empty-handed in the end, with a cursor that misses nothing", async () => {
    const { stores, inbox } = setUp();
    const result = await wait(inbox, { timeoutMs: 20 });
    expect(result.events).toEqual([]);
    stores.store(1).add({ id: "a", receivedAt: T });
    expect(ids(await wait(inbox, { cursor: result.cursor }))).toEqual(["a"]);
  });

  it("sleeps through events that the filter does not want", async () => {
    const { stores, inbox } = setUp();
    const answer = wait(inbox, { types: ["push"] });
    await listening(stores);
    stores.store(1).add({ id: "a", type: "star", receivedAt: T });
    stores.store(1).add({ id: "b", type: "push", receivedAt: T });
    expect(ids(await answer)).toEqual(["b"]);
  });

  it("hears again from a store that was reset while it waited", async () => {
    const { stores, inbox } = setUp();
    const answer = wait(inbox);
    await listening(stores);
    stores.store(1).reset();
    stores.store(1).add({ id: "a", receivedAt: T });
    expect(ids(await answer)).toEqual(["a"]);
  });

  it("ends when its caller goes, and leaves no socket behind", async () => {
    const { stores, inbox } = setUp();
    const caller = new AbortController();
    const answer = wait(inbox, { signal: caller.signal });
    await listening(stores);
    caller.abort();
    expect((await answer).events).toEqual([]);
    while (stores.store(1).listeners + stores.store(2).listeners > 0)
      await new Promise((resolve) => setTimeout(resolve, 1));
  });

  it("names a store that gives no answer, and delivers its events once it is back", async () => {
    const { stores, inbox } = setUp();
    stores.store(2).failing = true;
    const result = await wait(inbox, { timeoutMs: 20 });
    expect(result.unavailable).toEqual([{ account_id: 2, login: "account-2" }]);
    stores.store(2).failing = false;
    stores.store(2).add({ id: "before", receivedAt: T });
    stores.store(2).add({ id: "after", receivedAt: Date.now() + 60_000 });
    expect(ids(await wait(inbox, { cursor: result.cursor }))).toEqual(["after"]);
  });

  it("fails when no store answers", async () => {
    const { stores, inbox } = setUp();
    for (const account of [1, 2]) stores.store(account).failing = true;
    await expect(wait(inbox)).rejects.toMatchObject({ code: "unavailable" });
  });
});
