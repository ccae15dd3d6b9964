import { afterEach, describe, expect, it } from "vitest";
import { Inbox } from "../inbox/inbox.ts";
import { Positions } from "../inbox/positions.ts";
import { FakeStores } from "../inbox/testing/fake-store.ts";
import { FanIn } from "./fan-in.ts";

const T = Date.UTC(2026, 10, 30);
const open: FanIn[] = [];
afterEach(() => {
  for (const fan of open.splice(0)) fan.close();
});

function setUp(accountIds = [1, 2], room: () => Promise<void> | null = () => null) {
  const stores = new FakeStores();
  const accounts = accountIds.map((accountId) => ({
    accountId,
    login: `account-${accountId}`,
    repositories: "all" as const,
    orgOwner: true,
  }));
  const positions = new Positions(null);
  const emitted: string[] = [];
  const fan = new FanIn({
    inbox: new Inbox({ stores, viewer: { userId: 7, accounts } }),
    filter: {},
    positions,
    emit: ({ row }) => emitted.push(row.id),
    room,
  });
  open.push(fan);
  const until = async (wanted: () => boolean) => {
    for (let i = 0; i < 2_000 && !wanted(); i++) await new Promise((done) => setTimeout(done, 1));
    expect(wanted()).toBe(true);
  };
  return { stores, positions, fan, emitted, until };
}

describe("FanIn", () => {
  it("emits what was there in order of arrival over all stores, then what is told", async () => {
    const { stores, fan, emitted, until } = setUp();
    for (const [i, id] of ["a", "b", "c", "d"].entries()) stores.store((i % 2) + 1).add({ id, receivedAt: T + i });
    await fan.connect();
    await fan.start();
    stores.store(2).add({ id: "e", receivedAt: T + 9 });
    await until(() => emitted.length === 5);
    expect(emitted).toEqual(["a", "b", "c", "d", "e"]);
  });

  it("asks a store nothing whose newest event it has already", async () => {
    const { stores, fan } = setUp();
    stores.store(1).add({ id: "a", receivedAt: T });
    await fan.connect();
    fan.startFromNow(T);
    await fan.start();
    expect([stores.store(1).calls, stores.store(2).calls]).toEqual([["fetch"], ["fetch"]]);
  });

  it("keeps what is told while it catches up, each event once", async () => {
    const pages = Promise.withResolvers<void>();
    let held = true;
    const { stores, fan, emitted, until } = setUp([1], () => (held ? pages.promise : null));
    stores.store(1).add({ id: "0", receivedAt: T });
    await fan.connect();
    const started = fan.start();
    await until(() => emitted.length === 1);
    for (let n = 1; n <= 10; n++) stores.store(1).add({ id: String(n), receivedAt: T + n });
    held = false;
    pages.resolve();
    await started;
    await until(() => emitted.length === 11);
    expect(emitted).toEqual(Array.from({ length: 11 }, (_, n) => String(n)));
  });

  it("emits once what is both told and read", async () => {
    const pages = Promise.withResolvers<void>();
    let held = true;
    const { stores, fan, emitted, until } = setUp([1], () => (held ? pages.promise : null));
    // More than one page: the second is read when these have been told already.
    for (let n = 0; n < 150; n++) stores.store(1).add({ id: String(n), receivedAt: T + n });
    await fan.connect();
    const started = fan.start();
    await until(() => emitted.length === 1);
    for (let n = 150; n < 160; n++) stores.store(1).add({ id: String(n), receivedAt: T + n });
    await new Promise((done) => setTimeout(done, 20));
    held = false;
    pages.resolve();
    await started;
    stores.store(1).add({ id: "160", receivedAt: T + 160 });
    await until(() => emitted.at(-1) === "160");
    expect(emitted).toEqual(Array.from({ length: 161 }, (_, n) => String(n)));
  });

  it("reads once more, and holds no more than it should, when very much is told meanwhile", async () => {
    const pages = Promise.withResolvers<void>();
    let held = true;
    const { stores, fan, emitted, until } = setUp([1], () => (held ? pages.promise : null));
    stores.store(1).add({ id: "0", receivedAt: T });
    await fan.connect();
    const started = fan.start();
    await until(() => emitted.length === 1);
    for (let n = 1; n <= 2_500; n++) stores.store(1).add({ id: String(n), receivedAt: T + n });
    await new Promise((done) => setTimeout(done, 20));
    held = false;
    pages.resolve();
    await started;
    stores.store(1).add({ id: "2501", receivedAt: T + 2_501 });
    await until(() => emitted.length >= 2_502);
    expect(emitted).toEqual(Array.from({ length: 2_502 }, (_, n) => String(n)));
  });

  it("comes back to a store that was reset, from where it was, and to one that failed", async () => {
    const { stores, fan, emitted, until } = setUp();
    stores.store(2).failing = true;
    await fan.connect();
    await fan.start();
    stores.store(1).add({ id: "a", receivedAt: T });
    await until(() => emitted.length === 1);
    stores.store(1).reset();
    stores.store(1).add({ id: "b", receivedAt: T + 1 });
    stores.store(2).failing = false;
    stores.store(2).add({ id: "c", receivedAt: T + 2 });
    await until(() => emitted.length === 3);
    expect(emitted.toSorted()).toEqual(["a", "b", "c"]);
    expect(stores.store(1).listeners + stores.store(2).listeners).toBe(2);
  });

  it("lets go of every store, whatever it was doing", async () => {
    const { stores, fan, until } = setUp([1, 2, 3]);
    stores.store(3).failing = true;
    const connecting = fan.connect();
    fan.close();
    await connecting;
    await until(() => stores.store(1).listeners + stores.store(2).listeners === 0);
    const asked = stores.store(3).calls.length;
    await new Promise((done) => setTimeout(done, 400));
    expect(stores.store(3).calls.length).toBe(asked);
  });
});
