/**
 * One store's events as a reader draws them: page after page, in one direction, with the position reached so far.
 */
import type { StorePosition } from "@github-webhook-mcp/shared/cursor.ts";
import type { EventFilter } from "@github-webhook-mcp/shared/events.ts";
import type { EventRow, EventWithPayload, ListBound, ListFrontier, StorePort } from "../ports.ts";
import type { StoreViewer, ViewerAccount } from "../viewer.ts";
import { type Place, start } from "./order.ts";
import type { Placed } from "./summary.ts";

/** What one call to a store gave. */
interface Batch<Row extends EventRow> {
  events: Placed<Row>[];
  /** The position after everything that the call looked at; undefined where nothing stands before it. */
  end: StorePosition | undefined;
  /** Where the call stopped looking, in the total order; null where the store could not say. */
  place: Place | null;
  done: boolean;
}

type Fetch<Row extends EventRow> = (from: StorePosition | undefined, room: number) => Promise<Batch<Row>>;

export class Feed<Row extends EventRow = EventRow> {
  readonly account: ViewerAccount;
  readonly #fetch: Fetch<Row>;
  #buffer: Placed<Row>[] = [];
  #next = 0;
  #last: Batch<Row> | null = null;
  /** Everything up to here has been drawn; undefined = nothing, from the very beginning. */
  position: StorePosition | undefined;

  constructor(account: ViewerAccount, from: StorePosition | undefined, fetch: Fetch<Row>) {
    this.account = account;
    this.position = from;
    this.#fetch = fetch;
  }

  /** The next event, if one is at hand. */
  get head(): Placed<Row> | undefined {
    return this.#buffer[this.#next];
  }

  /** Whether only another call can tell what comes next. */
  get dry(): boolean {
    return this.head === undefined && this.#last?.done !== true;
  }

  /** Where a dry feed stopped looking; null if unknown. */
  get place(): Place | null {
    return this.#last?.place ?? null;
  }

  /** Draws the head. */
  take(): void {
    this.position = this.head?.position;
    this.#next++;
    if (this.head === undefined) this.position = this.#last?.end;
  }

  /** Asks the store for more. `room` is how many events (or bytes of payload) the reader still takes. */
  async refill(room: number): Promise<void> {
    const batch = await this.#fetch(this.position, room);
    this.#buffer = batch.events;
    this.#next = 0;
    this.#last = batch;
    if (this.head === undefined) this.position = batch.end;
  }
}

/** A store with what its reader is allowed and asks for. */
export interface Source {
  account: ViewerAccount;
  store: StorePort;
  viewer: StoreViewer;
  filter: EventFilter;
}

/** Newest first, from `bound` downwards. */
export function newestFeed(source: Source, limit: number, bound: ListBound | undefined): Feed {
  return new Feed(source.account, undefined, async (from) => {
    const page = await source.store.list(source.viewer, {
      order: "newest",
      limit,
      filter: source.filter,
      bound: below(from, bound),
    });
    return newestBatch(source, page);
  });
}

/** Newest first with payloads, as many as fit into the bytes that are left. */
export function newestPayloadFeed(source: Source, limit: number, bound: ListBound | undefined): Feed<EventWithPayload> {
  return new Feed<EventWithPayload>(source.account, undefined, async (from, budget) => {
    const page = await source.store.listWithPayloads(
      source.viewer,
      { order: "newest", limit, filter: source.filter, bound: below(from, bound) },
      budget,
    );
    return newestBatch(source, page);
  });
}

/** Oldest first, from a position that carries the viewer's present access. */
export function oldestFeed(source: Source, limit: number, from: StorePosition | undefined): Feed {
  const { account, store, viewer, filter } = source;
  return new Feed(account, from, async (position) => {
    const bound = position && { seq: position.seq };
    const page = await store.list(viewer, { order: "oldest", limit, filter, bound });
    const events = page.events.map((row) => placed(source, row));
    return {
      events,
      end: page.next ? at(source, page.next) : (events.at(-1)?.position ?? position),
      place: page.next && { ...page.next, accountId: account.accountId },
      done: page.next === null,
    };
  });
}

/** In order of delivery, from any position: what became visible behind it comes too. */
export function sinceFeed(
  { account, store, viewer, filter }: Source,
  limit: number,
  from: StorePosition | undefined,
): Feed {
  return new Feed(account, from, async (position) => {
    const page = await store.since(viewer, position, filter, limit);
    return {
      events: page.events.map(({ event, position }) => ({ accountId: account.accountId, row: event, position })),
      end: page.position,
      place: null,
      done: !page.more,
    };
  });
}

function newestBatch<Row extends EventRow>(
  source: Source,
  page: { events: Row[]; next: ListFrontier | null },
): Batch<Row> {
  return {
    events: page.events.map((row) => placed(source, row)),
    end: page.next ? at(source, page.next) : undefined,
    place: page.next && { ...page.next, accountId: source.account.accountId },
    done: page.next === null,
  };
}

function below(from: StorePosition | undefined, bound: ListBound | undefined): ListBound | undefined {
  return from ? { seq: from.seq } : bound;
}

function placed<Row extends EventRow>(source: Source, row: Row): Placed<Row> {
  return { accountId: source.account.accountId, row, position: at(source, row) };
}

function at(source: Source, { seq }: { seq: number }): StorePosition {
  return { ...start(source.viewer.version), seq };
}
