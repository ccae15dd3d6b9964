/**
 * A viewer's stores as one: parallel reads, one order, one cursor. Tools, REST routes and the stream read through it.
 *
 * Guarantees: what it shows is what the stores show this viewer; a store that gives no answer is named beside the
 * others' results, and when none answers there is an error, never an empty result.
 */
import { type Cursor, encodeCursor, type StorePosition } from "@github-webhook-mcp/shared/cursor.ts";
import type { EventFilter, EventSummary } from "@github-webhook-mcp/shared/events.ts";
import type { EventWithPayload, StoresPort } from "../ports.ts";
import { storeViewer, type Viewer, type ViewerAccount } from "../viewer.ts";
import { InboxError } from "./errors.ts";
import { askAll, type FanOut, noAnswer, refuseSilence, type Unavailable } from "./fan-out.ts";
import { type Feed, newestFeed, newestPayloadFeed, oldestFeed, type Source, sinceFeed } from "./feed.ts";
import { type MergedPage, mergePage } from "./merge.ts";
import { tiesComeBefore } from "./order.ts";
import { newestBound, Positions, positionIn, readCursor } from "./positions.ts";
import { type Placed, toSummary } from "./summary.ts";

export interface InboxDeps {
  stores: StoresPort;
  viewer: Viewer;
  /** Milliseconds since the epoch. */
  now?: () => number;
}

/** Accounts that gave no answer; absent when all did. */
export interface Completeness {
  unavailable?: Unavailable[];
}

export interface InboxStatus extends Completeness {
  pending: number;
  latestReceivedAt: number | null;
  /** Pending events by type, the most frequent first. */
  types: Record<string, number>;
  /** Unread events that a volume cap removed within seven days. */
  dropped: number;
  /** Position after the newest event of every store. */
  cursor: string;
}

export interface ListRequest {
  order: "newest" | "oldest";
  /** 1–100. */
  limit: number;
  filter: EventFilter;
  cursor?: string;
}

export interface EventPage<T> extends Completeness {
  events: T[];
  /** Continues this list in its own order; absent at its end. */
  nextCursor?: string;
}

/** A page in order of delivery. */
export interface SincePage extends Completeness {
  events: Placed[];
  /** Where to go on from, whether or not there are events. */
  positions: Positions;
  more: boolean;
}

export class Inbox {
  readonly stores: StoresPort;
  readonly viewer: Viewer;
  readonly now: () => number;

  constructor({ stores, viewer, now = Date.now }: InboxDeps) {
    this.stores = stores;
    this.viewer = viewer;
    this.now = now;
  }

  /** What is pending, in a few rows whatever the size of the stores. */
  async status(): Promise<InboxStatus> {
    const { results, unavailable } = await this.#ask(({ store, viewer }) => store.status(viewer));
    const positions = new Positions(null);
    const counts = new Map<string, number>();
    let latestReceivedAt: number | null = null;
    let dropped = 0;
    for (const { account, value } of results) {
      positions.set(account.accountId, value.position);
      dropped += value.dropped;
      for (const [type, count] of Object.entries(value.types)) counts.set(type, (counts.get(type) ?? 0) + count);
      if (value.latestReceivedAt !== null) latestReceivedAt = Math.max(latestReceivedAt ?? 0, value.latestReceivedAt);
    }
    for (const { account_id } of unavailable) positions.setTime(account_id, this.now());
    const types = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
    return {
      pending: types.reduce((sum, [, count]) => sum + count, 0),
      latestReceivedAt,
      types: Object.fromEntries(types),
      dropped,
      cursor: positions.encode(),
      ...partial(unavailable),
    };
  }

  /** Summaries of pending events (of all, with `include_processed`). */
  async list({ order, limit, filter, cursor: text }: ListRequest): Promise<EventPage<EventSummary>> {
    const cursor = readCursor(text);
    if (order === "oldest") {
      const { events, positions, more, unavailable } = await this.#ascend(cursor, filter, limit, pageFeed);
      const nextCursor = more ? { nextCursor: positions.encode() } : {};
      return { events: events.map(toSummary), ...nextCursor, ...partial(unavailable) };
    }
    const feeds = this.#newestFeeds(cursor, filter, (source, bound) => newestFeed(source, limit, bound));
    const page = await mergePage(feeds, { order, limit });
    return { events: page.events.map(toSummary), ...nextOf(page), ...partial(page.unavailable) };
  }

  /**
   * Newest first, with payloads as they were packed.
   * @param budget bytes of raw payload in all; the first event comes whatever its size.
   */
  async withPayloads(
    { limit, filter, cursor }: Omit<ListRequest, "order">,
    budget: number,
  ): Promise<EventPage<Placed<EventWithPayload>>> {
    const feeds = this.#newestFeeds(readCursor(cursor), filter, (source, bound) =>
      newestPayloadFeed(source, limit, bound),
    );
    const cost = (row: EventWithPayload) => row.payloadSize;
    const page = await mergePage(feeds, { order: "newest", limit, budget: { total: budget, cost } });
    return { events: page.events, ...nextOf(page), ...partial(page.unavailable) };
  }

  /**
   * One whole event, its payload packed.
   * @throws InboxError `not_found` when every store was asked and none shows it to this viewer.
   */
  async event(id: string): Promise<EventWithPayload> {
    const { results, unavailable } = await this.#ask(({ store, viewer }) => store.event(viewer, id));
    const event = results.find(({ value }) => value !== null)?.value;
    if (event) return event;
    refuseSilence(unavailable);
    throw new InboxError("not_found", `Event ${id} not found`);
  }

  /** The best matches of all stores. bm25 is comparable between stores only roughly; ties go to the newer. */
  async search(query: string, filter: EventFilter, limit: number): Promise<EventPage<EventSummary>> {
    if (query.trim() === "") throw new InboxError("invalid", "query must not be empty: say what to look for.");
    const { results, unavailable } = await this.#ask(
      async ({ account, store, viewer }) =>
        (await store.search(viewer, { query, filter, limit })).map((row) => ({
          accountId: account.accountId,
          row,
          position: { seq: row.seq, version: viewer.version },
        })),
      filter,
    );
    const hits = results
      .flatMap(({ value }) => value)
      .sort((a, b) => a.row.rank - b.row.rank || b.row.receivedAt - a.row.receivedAt)
      .slice(0, limit);
    return { events: hits.map(toSummary), ...partial(unavailable) };
  }

  /**
   * Marks events by id, whichever store holds them.
   * @throws InboxError `not_found` naming the ids that no store shows to this viewer; the others are marked.
   */
  async mark(ids: readonly string[]): Promise<{ marked: number; purged: number }> {
    const { results, unavailable } = await this.#ask(({ store, viewer }) => store.mark(viewer, ids));
    const found = new Set(results.flatMap(({ value }) => value.found));
    const missing = ids.filter((id) => !found.has(id));
    if (missing.length > 0) {
      const rest = found.size > 0 ? ` The other ${found.size} are marked.` : "";
      if (unavailable.length > 0) throw new InboxError("unavailable", `${noAnswer(unavailable)}${rest}`);
      const events = missing.length === 1 ? `Event ${missing[0]}` : `Events ${missing.join(", ")}`;
      throw new InboxError("not_found", `${events} not found${rest && `.${rest}`}`);
    }
    return totals(results);
  }

  /**
   * Marks the pending events at or before a cursor that match the filter. `changed` names accounts where the viewer's
   * access is not what it was: the cursor moved past events they have not been shown, so nothing is marked there.
   */
  async markUpTo(
    text: string,
    filter: EventFilter,
  ): Promise<{ marked: number; purged: number; changed: string[] } & Completeness> {
    const cursor = readCursor(text);
    // A store that gave no answer when the cursor was made has shown nothing up to it.
    const silent = cursor?.kind === "stores" ? cursor.times : undefined;
    const changed: string[] = [];
    const { results, unavailable } = await this.#ask(async (source) => {
      const position = silent?.has(source.account.accountId) ? undefined : await positionIn(cursor, source);
      if (!position) return { marked: 0, purged: 0 };
      const seq = shownUpTo(position, source.viewer.version);
      if (seq !== null) return source.store.markUpTo(source.viewer, seq, filter);
      changed.push(source.account.login);
      return { marked: 0, purged: 0 };
    }, filter);
    return { ...totals(results), changed, ...partial(unavailable) };
  }

  /** What came after a cursor, in order of delivery; without one, from the very beginning. */
  async since(cursor: Cursor | null, filter: EventFilter, limit: number): Promise<SincePage> {
    return this.#ascend(cursor, filter, limit, sinceFeed);
  }

  /** The position after everything that is there now. A store that gives none is positioned by the clock. */
  async head(): Promise<{ positions: Positions } & Completeness> {
    const asked = this.now();
    const { results, unavailable } = await this.#ask(({ store, viewer }) => store.head(viewer));
    const positions = new Positions(null);
    for (const { account, value } of results) positions.set(account.accountId, value);
    for (const { account_id } of unavailable) positions.setTime(account_id, asked);
    return { positions, ...partial(unavailable) };
  }

  /** One account's store, for this viewer. */
  source(account: ViewerAccount, filter: EventFilter = {}): Source {
    const { viewer, stores } = this;
    return { account, store: stores.store(account.accountId), viewer: storeViewer(viewer, account), filter };
  }

  #ask<T>(ask: (source: Source) => Promise<T>, filter?: EventFilter): Promise<FanOut<T>> {
    return askAll(this.viewer.accounts, (account) => ask(this.source(account, filter)));
  }

  #newestFeeds<F>(
    cursor: Cursor | null,
    filter: EventFilter,
    feed: (source: Source, bound: Exclude<ReturnType<typeof newestBound>, "nothing">) => F,
  ): F[] {
    return this.viewer.accounts.flatMap((account) => {
      const bound = newestBound(cursor, account.accountId);
      return bound === "nothing" ? [] : [feed(this.source(account, filter), bound)];
    });
  }

  async #ascend(
    cursor: Cursor | null,
    filter: EventFilter,
    limit: number,
    feed: (source: Source, limit: number, from: StorePosition | undefined) => Feed,
  ): Promise<SincePage> {
    const { results, unavailable } = await this.#ask(
      async (source) => ({
        source,
        from: await positionIn(cursor, source),
      }),
      filter,
    );
    const feeds = results.map(({ value: { source, from } }) => feed(source, limit, from));
    const page = await mergePage(feeds, { order: "oldest", limit });
    const positions = new Positions(cursor);
    if (cursor?.kind === "event") {
      for (const { account_id } of unavailable) positions.setTime(account_id, timeBefore(cursor, account_id));
    }
    for (const { account, position } of feeds) positions.set(account.accountId, position);
    return { events: page.events, positions, more: page.more, ...partial([...unavailable, ...page.unavailable]) };
  }
}

/** Pending events in order: by the store's index, or in order of delivery where access has changed on the way. */
function pageFeed(source: Source, limit: number, from: StorePosition | undefined): Feed {
  const same = !from || (from.version === source.viewer.version && !from.backfill);
  return same ? oldestFeed(source, limit, from) : sinceFeed(source, limit, from);
}

/** Up to which seq everything that the viewer sees now has been delivered; null where that can't be said. */
function shownUpTo({ seq, version, backfill }: StorePosition, now: string): number | null {
  if (version !== now) return null;
  return backfill ? backfill.seq : seq;
}

/** What an event cursor says about a store that gave no position: what it receives after this time is to come. */
function timeBefore(cursor: { accountId: number; receivedAt: number }, accountId: number): number {
  return tiesComeBefore(accountId, cursor) ? cursor.receivedAt : cursor.receivedAt - 1;
}

function nextOf({ end }: MergedPage<EventWithPayload> | MergedPage<Placed["row"]>): { nextCursor?: string } {
  if (!end) return {};
  const { place, position } = end;
  return {
    nextCursor: encodeCursor({ kind: "event", accountId: place.accountId, receivedAt: place.receivedAt, position }),
  };
}

function totals(results: FanOut<{ marked: number; purged: number }>["results"]): { marked: number; purged: number } {
  return {
    marked: results.reduce((sum, { value }) => sum + value.marked, 0),
    purged: results.reduce((sum, { value }) => sum + value.purged, 0),
  };
}

function partial(unavailable: readonly Unavailable[] | undefined): Completeness {
  return unavailable && unavailable.length > 0 ? { unavailable: [...unavailable] } : {};
}
