/**
 * Nothing missed, nothing twice: streams over three stores, while deliveries, evictions, resets and lost connections
 * come in any order. A client that was cut off goes on with the cursor of a frame that it has, and not of its last one
 * either: the frames after it were lost on the way.
 */
import { abortAllDurableObjects, evictAllDurableObjects } from "cloudflare:test";
import type { EventFrame } from "@github-webhook-mcp/shared/stream.ts";
import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import { deliver } from "../../support/deliveries.ts";
import { issue, mona, type Owner, octoOrg, wipe } from "../../support/payloads.ts";
import { KINDS, type Open, type StreamClient, streams } from "../../support/stream.ts";
import { eventsAs, seat } from "../../support/viewers.ts";

afterEach(async () => {
  await streams.closeAll();
  await wipe();
});

type Step =
  /** Deliveries to these stores, at once. */
  | { do: "deliver"; stores: number[] }
  /** The objects sleep, and their sockets stay. */
  | { do: "evict" }
  /** The objects are reset, and their sockets broken. */
  | { do: "reset" }
  /** The client goes away; `lost` of its last frames never reached it. */
  | { do: "disconnect"; lost: number }
  | { do: "connect"; kind: number };

const STORES = 3;
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant("deliver" as const),
      stores: fc.array(fc.nat(STORES - 1), { minLength: 1, maxLength: 6 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("evict" as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("reset" as const) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("disconnect" as const), lost: fc.nat(4) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("connect" as const), kind: fc.nat(1) }) },
);

const third: Owner = { id: 0, login: "third", type: "Organization" };

/** A person who watches: frames that they have received in all their connections. */
class Watcher {
  readonly #fetch;
  #stream: StreamClient | null = null;
  #received: EventFrame[] = [];

  constructor(owners: readonly Owner[]) {
    this.#fetch = eventsAs({ userId: 31, accounts: owners.map((owner) => seat(owner, "all")) });
  }

  async connect(open: Open): Promise<void> {
    if (this.#stream) return;
    const cursor = this.#received.at(-1)?.cursor ?? "s1";
    this.#stream = await open(`?cursor=${encodeURIComponent(cursor)}`, {}, this.#fetch);
  }

  async disconnect(lost: number): Promise<void> {
    if (!this.#stream) return;
    const events = this.#stream.events();
    this.#received.push(...events.slice(0, events.length - Math.min(lost, events.length)));
    await this.#stream.close();
    this.#stream = null;
  }

  /** Ids of all that was received, once there are `n`. */
  async all(open: Open, n: number): Promise<EventFrame[]> {
    await this.connect(open);
    await this.#stream!.untilEvents(n - this.#received.length);
    // What comes too much comes now.
    await new Promise((done) => setTimeout(done, 20));
    return [...this.#received, ...this.#stream!.events()];
  }
}

test("every event arrives once, in its store's order, whatever happens in between", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
      third.id = octoOrg.id + 5;
      const owners = [octoOrg, mona, third];
      const stored: string[][] = owners.map(() => []);
      const watcher = new Watcher(owners);
      for (const happening of steps) {
        switch (happening.do) {
          case "deliver":
            await Promise.all(
              happening.stores.map(async (i) => stored[i]!.push(await deliver(issue({ owner: owners[i] })))),
            );
            break;
          case "evict":
            await evictAllDurableObjects();
            break;
          case "reset":
            await abortAllDurableObjects();
            break;
          case "disconnect":
            await watcher.disconnect(happening.lost);
            break;
          case "connect":
            await watcher.connect(KINDS[happening.kind]![1]);
        }
      }
      const expected = stored.flat().sort();
      const frames = await watcher.all(KINDS[0]![1], expected.length);
      expect(frames.map(({ event_id }) => event_id).sort()).toEqual(expected);
      for (const owner of owners) {
        const times = frames
          .filter(({ summary }) => summary.repo?.startsWith(`${owner.login}/`))
          .map(({ summary }) => summary.received_at);
        expect(times).toEqual(times.toSorted());
      }
      await watcher.disconnect(0);
      await wipe();
    }),
    { numRuns: 40, endOnFailure: true },
  );
}, 120_000);

test("a long replay comes in order of arrival over all stores, and every frame's cursor resumes behind it", async () => {
  const owners = [octoOrg, mona];
  const ids: string[] = [];
  for (let n = 0; n < 260; n++) ids.push(await deliver(issue({ owner: owners[n % 7 === 0 ? 1 : 0] })));
  const fetch = eventsAs({ userId: 31, accounts: owners.map((owner) => seat(owner, "all")) });
  const stream = await KINDS[0]![1]("?cursor=s1", {}, fetch);
  const frames = await stream.untilEvents(ids.length);
  const times = frames.map(({ summary }) => summary.received_at);
  expect(times).toEqual(times.toSorted());
  expect(frames.map(({ event_id }) => event_id).sort()).toEqual(ids.toSorted());
  for (const at of [0, 6, 7, 99, 100, 101, 200, 258]) {
    const again = await KINDS[0]![1](`?cursor=${frames[at]!.cursor}`, {}, fetch);
    const rest = await again.untilEvents(ids.length - 1 - at);
    expect(rest.map(({ event_id }) => event_id)).toEqual(frames.slice(at + 1).map(({ event_id }) => event_id));
    await again.close();
  }
});

test("what has become visible is delivered once, though the cursor had moved past it", async () => {
  const repositories = [
    { id: 1, name: "one" },
    { id: 2, name: "two" },
  ];
  const ids: string[] = [];
  for (let n = 0; n < 6; n++) ids.push(await deliver(issue({ repository: repositories[n % 2]!, number: n })));
  const narrow = { userId: 31, accounts: [seat(octoOrg, [1])] };
  const wide = { userId: 31, accounts: [seat(octoOrg, [1, 2])] };
  const before = await KINDS[0]![1]("?cursor=s1", {}, eventsAs(narrow));
  const seen = await before.untilEvents(3);
  expect(seen.map(({ event_id }) => event_id)).toEqual(ids.filter((_, i) => i % 2 === 0));
  // Reconnecting with more access, and gaining it while connected: the same.
  const reconnected = await KINDS[0]![1](`?cursor=${seen[2]!.cursor}`, {}, eventsAs(wide));
  const grown = await KINDS[0]![1](
    `?cursor=${seen[2]!.cursor}`,
    {},
    eventsAs(narrow, { recheck: async () => ({ viewer: wide, scopes: [] }), recheckMs: 20 }),
  );
  for (const stream of [reconnected, grown]) {
    const gained = await stream.untilEvents(3);
    expect(gained.map(({ event_id }) => event_id)).toEqual(ids.filter((_, i) => i % 2 === 1));
    // In the middle of that, too, each cursor resumes exactly behind its frame.
    const again = await KINDS[0]![1](`?cursor=${gained[0]!.cursor}`, {}, eventsAs(wide));
    expect((await again.untilEvents(2)).map(({ event_id }) => event_id)).toEqual([ids[3], ids[5]]);
  }
  const next = await deliver(issue({ repository: repositories[1]! }));
  for (const stream of [reconnected, grown]) expect((await stream.untilEvents(4))[3]).toMatchObject({ event_id: next });
});
