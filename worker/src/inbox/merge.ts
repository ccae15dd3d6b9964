/**
 * One page out of many feeds, in the total order.
 *
 * An event is drawn only when no feed can still produce one that stands before it; so a page neither loses nor repeats
 * an event at its edges, whatever the interleaving, and however early a store stops looking.
 */
import type { StorePosition } from "@github-webhook-mcp/shared/cursor.ts";
import type { EventRow } from "../ports.ts";
import { fanOut, refuseSilence, type Unavailable } from "./fan-out.ts";
import type { Feed } from "./feed.ts";
import { byAge, type Place } from "./order.ts";
import type { Placed } from "./summary.ts";

/** Calls to one store for one page. A filter that still found nothing ends the page; its cursor goes on from there. */
const MAX_ROUNDS = 8;

export interface MergeRequest<Row extends EventRow> {
  order: "newest" | "oldest";
  limit: number;
  /** Cost of an event against `budget`; the first event always fits. */
  budget?: { total: number; cost: (row: Row) => number };
}

export interface MergedPage<Row extends EventRow> {
  events: Placed<Row>[];
  /** How far the page got, where there is, or may be, more behind it. */
  end: { place: Place; position: StorePosition } | null;
  more: boolean;
  unavailable: Unavailable[];
}

/** @throws InboxError `unavailable` when no store answers. */
export async function mergePage<Row extends EventRow>(
  feeds: readonly Feed<Row>[],
  { order, limit, budget }: MergeRequest<Row>,
): Promise<MergedPage<Row>> {
  const byAccount = new Map(feeds.map((feed) => [feed.account.accountId, feed]));
  const before = order === "newest" ? (a: Place, b: Place) => byAge(a, b) > 0 : (a: Place, b: Place) => byAge(a, b) < 0;
  const events: Placed<Row>[] = [];
  const unavailable: Unavailable[] = [];
  let live = [...feeds];
  let left = budget?.total ?? 0;

  for (let round = 0; round < MAX_ROUNDS; round++) {
    const dry = live.filter((feed) => feed.dry);
    const { unavailable: failed } = await fanOut(
      dry.map((feed) => feed.account),
      (account) => byAccount.get(account.accountId)!.refill(budget ? left : limit - events.length),
    );
    if (failed.length > 0) {
      unavailable.push(...failed);
      // Once the page has begun, a store that fails ends it instead: its events are still to come.
      if (round > 0) break;
      live = live.filter((feed) => !failed.some(({ account_id }) => account_id === feed.account.accountId));
      if (live.length === 0) refuseSilence(failed);
    }
    for (let feed = next(); feed; feed = next()) {
      const head = feed.head!;
      const cost = budget?.cost(head.row) ?? 0;
      if (events.length === limit || (budget && cost > left && events.length > 0)) return full();
      left -= cost;
      events.push(head);
      feed.take();
    }
    if (!live.some((feed) => feed.dry)) return { events, end: null, more: false, unavailable };
    if (events.length === limit || (budget && left <= 0)) return full();
  }
  return { events, end: firstDryPlace(), more: true, unavailable };

  /** The feed whose head comes next, unless a dry feed may hold one that stands before it. */
  function next(): Feed<Row> | undefined {
    let first: Feed<Row> | undefined;
    for (const feed of live) {
      if (feed.head && (!first || before(placeOf(feed.head), placeOf(first.head!)))) first = feed;
    }
    if (!first) return undefined;
    const place = placeOf(first.head!);
    const blocked = live.some((feed) => feed.dry && !(feed.place && before(place, feed.place)));
    return blocked ? undefined : first;
  }

  function full(): MergedPage<Row> {
    const last = events.at(-1)!;
    return { events, end: { place: placeOf(last), position: last.position }, more: true, unavailable };
  }

  /** Everything before the first place where a feed stopped looking has been drawn. */
  function firstDryPlace(): MergedPage<Row>["end"] {
    let end: MergedPage<Row>["end"] = null;
    for (const { dry, place, position } of live) {
      if (dry && place && position && (!end || before(place, end.place))) end = { place, position };
    }
    return end;
  }
}

function placeOf({ accountId, row }: Placed): Place {
  return { accountId, receivedAt: row.receivedAt, seq: row.seq };
}
