/**
 * The store against a model that keeps every event in a list and looks at all of them each time: whatever is
 * delivered, marked, filtered, paged or purged, both say the same.
 */
import { evictDurableObject, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { StorePosition } from "@github-webhook-mcp/shared/cursor.ts";
import type { EventFilter } from "@github-webhook-mcp/shared/events.ts";
import fc from "fast-check";
import { afterEach, expect, it } from "vitest";
import type { StoreViewer } from "../viewer.ts";
import { delivery, guidOf } from "./testing/deliveries.ts";

afterEach(() => reset());

interface ModelEvent {
  id: string;
  repo: number;
  type: string;
  sender: string;
  bot: boolean;
  processedBy: Set<number>;
}

const REPOS = [0, 10, 20, 30];
const TYPES = ["issues", "push", "check_run"];
const SENDERS = ["mona", "hubot", "Alice"];

/** Plain objects: an object without a prototype can't cross RPC. */
const record = <T>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }) => fc.record<T>(fields, { noNullPrototype: true });
const viewer = record({ userId: fc.constantFrom(1, 2), repos: fc.option(fc.subarray(REPOS), { nil: null }) });
const filter: fc.Arbitrary<EventFilter> = fc.record(
  {
    types: fc.subarray(TYPES, { minLength: 1 }),
    repo: fc.constantFrom("octo/repo-10", "OCTO/Repo-20", "octo/none"),
    sender: fc.constantFrom("MONA", "alice"),
    exclude_bots: fc.boolean(),
    include_processed: fc.boolean(),
  },
  { requiredKeys: [], noNullPrototype: true },
);
const event = record({
  repo: fc.constantFrom(...REPOS),
  type: fc.constantFrom(...TYPES),
  sender: fc.constantFrom(...SENDERS),
  bot: fc.boolean(),
});
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: record({
      do: fc.constant("ingest" as const),
      events: fc.array(event, { minLength: 1, maxLength: 12 }),
    }),
  },
  {
    weight: 3,
    arbitrary: record({ do: fc.constant("mark" as const), viewer, pick: fc.array(fc.nat(), { maxLength: 6 }) }),
  },
  { weight: 2, arbitrary: record({ do: fc.constant("markUpTo" as const), viewer, place: fc.nat(), filter }) },
  { weight: 1, arbitrary: record({ do: fc.constant("evict" as const) }) },
  {
    weight: 4,
    arbitrary: record({
      do: fc.constant("list" as const),
      viewer,
      filter,
      order: fc.constantFrom("newest" as const, "oldest" as const),
      limit: fc.integer({ min: 1, max: 7 }),
    }),
  },
  { weight: 2, arbitrary: record({ do: fc.constant("status" as const), viewer }) },
  {
    weight: 3,
    arbitrary: record({ do: fc.constant("follow" as const), viewer, limit: fc.integer({ min: 1, max: 5 }) }),
  },
);

function storeViewerOf({ userId, repos }: { userId: number; repos: number[] | null }): StoreViewer {
  if (repos === null) return { userId, repositories: "all", version: "all" };
  return { userId, repositories: repos, version: `set-${repos.join("-")}` };
}

it("says what a walk over all events says", { timeout: 120_000 }, async () => {
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 30 }), async (steps) => {
      const store = () => env.WEBHOOK_STORE.getByName(`store-${run}`);
      run += 1;
      const events: ModelEvent[] = [];
      const followed = new Map<string, { position: StorePosition; seen: Set<string> }>();
      const sees = (who: StoreViewer, { repo }: ModelEvent) =>
        who.repositories === "all" || who.repositories.includes(repo);
      const matches = (who: StoreViewer, f: EventFilter, e: ModelEvent) =>
        sees(who, e) &&
        (!f.types || f.types.includes(e.type)) &&
        (!f.repo || f.repo.toLowerCase() === `octo/repo-${e.repo}`) &&
        (!f.sender || f.sender.toLowerCase() === e.sender.toLowerCase()) &&
        !(f.exclude_bots && e.bot) &&
        (f.include_processed || !e.processedBy.has(who.userId));

      for (const s of steps) {
        if (s.do === "ingest") {
          const first = events.length;
          for (const e of s.events)
            events.push({ ...e, id: guidOf(run * 10_000 + events.length), processedBy: new Set() });
          await Promise.all(
            events
              .slice(first)
              .map((e, i) => store().ingest(delivery({ account: run, n: run * 10_000 + first + i, ...e }))),
          );
        } else if (s.do === "evict") {
          await store().head(storeViewerOf({ userId: 1, repos: null }));
          await evictDurableObject(store());
        } else if (s.do === "mark") {
          const who = storeViewerOf(s.viewer);
          const picked = [
            ...new Set(s.pick.map((n) => events[n % Math.max(1, events.length)]).filter((e) => e !== undefined)),
          ];
          const { found } = await store().mark(
            who,
            picked.map(({ id }) => id),
          );
          const visible = picked.filter((e) => sees(who, e));
          expect(found).toEqual(visible.map(({ id }) => id));
          for (const e of visible) e.processedBy.add(who.userId);
        } else if (s.do === "markUpTo") {
          const who = storeViewerOf(s.viewer);
          const seq = s.place % (events.length + 1);
          const wanted = events.slice(0, seq).filter((e) => matches(who, { ...s.filter, include_processed: false }, e));
          const { marked } = await store().markUpTo(who, seq, s.filter);
          expect(marked).toBe(wanted.length);
          for (const e of wanted) e.processedBy.add(who.userId);
        } else if (s.do === "list") {
          const who = storeViewerOf(s.viewer);
          const wanted = events.filter((e) => matches(who, s.filter, e));
          if (s.order === "newest") wanted.reverse();
          const got: string[] = [];
          for (let bound: { seq: number } | undefined; ; ) {
            const page = await store().list(who, { order: s.order, limit: s.limit, filter: s.filter, bound });
            expect(page.events.length).toBeLessThanOrEqual(s.limit);
            got.push(...page.events.map(({ id }) => id));
            for (const e of page.events) {
              const model = events.find(({ id }) => id === e.id)!;
              expect(e.processed).toBe(model.processedBy.has(who.userId));
            }
            if (!page.next) break;
            bound = { seq: page.next.seq };
          }
          expect(got).toEqual(wanted.map(({ id }) => id));
        } else if (s.do === "status") {
          const who = storeViewerOf(s.viewer);
          const types: Record<string, number> = {};
          for (const e of events) if (matches(who, {}, e)) types[e.type] = (types[e.type] ?? 0) + 1;
          expect((await store().status(who)).types).toEqual(types);
        } else {
          // One who follows sees each event once, in whatever pages, while their access grows and shrinks.
          const who = storeViewerOf(s.viewer);
          const key = String(who.userId);
          const state = followed.get(key) ?? { position: { seq: 0, version: who.version }, seen: new Set<string>() };
          const page = await store().since(who, state.position, { include_processed: true }, s.limit);
          expect(page.events.length).toBeLessThanOrEqual(s.limit);
          for (const { event: e } of page.events) {
            expect(sees(who, events.find(({ id }) => id === e.id)!)).toBe(true);
            state.seen.add(e.id);
          }
          state.position = page.position;
          followed.set(key, state);
          if (!page.more) {
            for (const e of events) if (sees(who, e)) expect(state.seen.has(e.id)).toBe(true);
          }
        }
      }
    }),
    { numRuns: 100 },
  );
});
