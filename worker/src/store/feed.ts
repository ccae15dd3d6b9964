/**
 * Everything after a position, in delivery order, nothing twice.
 *
 * A position holds a seq and the viewer's access version. When the viewer sees more repositories now than at that
 * version, the events of those up to the position come first (the backfill), then what is newer than it. A position
 * inside a backfill remembers both ends, so that pages go on where they stopped.
 */
import type { StorePosition } from "@github-webhook-mcp/shared/cursor.ts";
import type { EventFilter } from "@github-webhook-mcp/shared/events.ts";
import type { EventAt, SincePage } from "../ports.ts";
import type { StoreViewer } from "../viewer.ts";
import type { AccessSets } from "./access.ts";
import type { EventLog } from "./event-log.ts";
import type { PendingCache } from "./pending.ts";
import type { EventReader } from "./reader.ts";

export class Feed {
  readonly #log: EventLog;
  readonly #reader: EventReader;
  readonly #pending: PendingCache;
  readonly #access: AccessSets;

  constructor(log: EventLog, reader: EventReader, pending: PendingCache, access: AccessSets) {
    this.#log = log;
    this.#reader = reader;
    this.#pending = pending;
    this.#access = access;
  }

  /** The position after the newest event. */
  head(viewer: StoreViewer, now: number): StorePosition {
    this.#access.remember(viewer, now);
    return { seq: this.#log.head, version: viewer.version };
  }

  since(
    viewer: StoreViewer,
    from: StorePosition | undefined,
    filter: EventFilter,
    limit: number,
    now: number,
  ): SincePage {
    this.#access.remember(viewer, now);
    const events: EventAt[] = [];
    let position = this.#start(viewer, from);
    while (position.backfill && events.length < limit) {
      const page = this.#backfill(viewer, position, position.backfill, filter, limit - events.length);
      events.push(...page.events);
      position = page.position;
      if (page.more) return { events, position, more: true };
      position = this.#withBackfill(viewer, position);
    }
    if (events.length >= limit) return { events, position, more: true };
    const { version } = position;
    const page = this.#reader.read(this.#pending.of(viewer), {
      order: "oldest",
      limit: limit - events.length,
      filter,
      above: position.seq,
      below: this.#log.head + 1,
    });
    for (const event of page.events) events.push({ event, position: { seq: event.seq, version } });
    const end = page.frontier?.seq ?? this.#log.head;
    return { events, position: { seq: end, version }, more: page.frontier !== null };
  }

  /** A position of another life of this store (its disk was wiped) says nothing about this one: begin anew. */
  #start(viewer: StoreViewer, from: StorePosition | undefined): StorePosition {
    const known = from && from.seq <= this.#log.head ? from : { seq: 0, version: viewer.version };
    return known.backfill ? known : this.#withBackfill(viewer, known);
  }

  /** Moves a position to the viewer's present access; what became visible is still to come. */
  #withBackfill(viewer: StoreViewer, { seq, version }: StorePosition): StorePosition {
    if (version === viewer.version) return { seq, version };
    const grown = seq > 0 && this.#access.grown(version, viewer.version) !== null;
    return { seq, version: viewer.version, ...(grown ? { backfill: { seq: 0, version } } : {}) };
  }

  #backfill(
    viewer: StoreViewer,
    position: StorePosition,
    backfill: NonNullable<StorePosition["backfill"]>,
    filter: EventFilter,
    limit: number,
  ): SincePage {
    const { seq, version } = position;
    const at = (done: number): StorePosition => ({ seq, version, backfill: { seq: done, version: backfill.version } });
    const only = this.#access.grown(backfill.version, version) ?? (() => false);
    const request = { order: "oldest", limit, filter, only, above: backfill.seq, below: seq + 1 } as const;
    const page = this.#reader.read(this.#pending.of(viewer), request);
    const events = page.events.map((event) => ({ event, position: at(event.seq) }));
    return page.frontier
      ? { events, position: at(page.frontier.seq), more: true }
      : { events, position: { seq, version }, more: false };
  }
}
