/**
 * Lists of a viewer's events in order of arrival, whatever the number of events behind them.
 *
 * Each repository that can have something to show enters a heap with a bound on the seq of its next event; only the
 * repository at the top is looked up. Processed intervals are jumped over, and what a look-up teaches about a
 * repository's bounds is kept (pending.ts). A list so reads about two rows for each event that it returns. Filters by
 * type, sender and bots are checked on the rows, within a budget.
 */
import type { EventFilter } from "@github-webhook-mcp/shared/events.ts";
import TinyQueue from "tinyqueue";
import type { EventRow, ListFrontier } from "../ports.ts";
import { type LogRow, ROW, toEventRow } from "./event-log.ts";
import { type RepoState, repositoryNamed, type ViewerState } from "./pending.ts";
import type { ProcessedRuns } from "./processed.ts";
import { INTEGER } from "./sql-parameter.ts";

/** Rows that one list may look at. A page that used it up says how far it got. */
const ROW_BUDGET = 5_000;

export type Order = "newest" | "oldest";

export interface ReadRequest {
  order: Order;
  limit: number;
  filter: EventFilter;
  /** Events strictly above this seq … */
  above: number;
  /** … and strictly below this one. */
  below: number;
  /** Only repositories for which this holds; absent = all that the viewer sees. */
  only?: (repo: number) => boolean;
}

export interface ReadResult {
  events: EventRow[];
  frontier: ListFrontier | null;
}

/** A repository's place in the heap; `row` once it has been looked up. */
interface Head {
  repo: number;
  state: RepoState;
  bound: number;
  row: LogRow | null;
  processed: boolean;
}

export class EventReader {
  readonly #sql: SqlStorage;
  readonly #runs: ProcessedRuns;

  constructor(sql: SqlStorage, runs: ProcessedRuns) {
    this.#sql = sql;
    this.#runs = runs;
  }

  read(viewer: ViewerState, request: ReadRequest): ReadResult {
    return new Walk(this.#sql, this.#runs, viewer, request).run();
  }
}

class Walk {
  readonly #sql: SqlStorage;
  readonly #runs: ProcessedRuns;
  readonly #viewer: ViewerState;
  readonly #request: ReadRequest;
  readonly #newest: boolean;
  readonly #matches: (row: LogRow) => boolean;
  #budget = ROW_BUDGET;

  constructor(sql: SqlStorage, runs: ProcessedRuns, viewer: ViewerState, request: ReadRequest) {
    this.#sql = sql;
    this.#runs = runs;
    this.#viewer = viewer;
    this.#request = request;
    this.#newest = request.order === "newest";
    this.#matches = rowFilter(request.filter);
  }

  run(): ReadResult {
    const heads = new TinyQueue(
      this.#heads(),
      this.#newest ? (a, b) => b.bound - a.bound : (a, b) => a.bound - b.bound,
    );
    const events: EventRow[] = [];
    for (let head = heads.pop(); head; head = heads.pop()) {
      if (head.row) {
        if (events.length === this.#request.limit) return { events, frontier: frontierAt(events.at(-1)) };
        events.push(toEventRow(head.row, head.processed));
        head.bound = this.#newest ? head.row.seq - 1 : head.row.seq + 1;
        head.row = null;
        if (this.#within(head.bound)) heads.push(head);
      } else if (this.#budget <= 0) {
        return { events, frontier: this.#frontierBefore(head.bound) };
      } else if (this.#lookUp(head)) {
        heads.push(head);
      }
    }
    return { events, frontier: null };
  }

  /** Repositories that can have an event to show, each with the bound of its first. */
  #heads(): Head[] {
    const { filter, only, above, below } = this.#request;
    const named = filter.repo === undefined ? undefined : repositoryNamed(this.#viewer, filter.repo);
    const heads: Head[] = [];
    for (const [repo, state] of this.#viewer.repos) {
      if ((named !== undefined && named !== repo) || (only && !only(repo))) continue;
      const bound = this.#newest
        ? Math.min(this.#newestIn(state), below - 1)
        : Math.max(this.#oldestIn(state), above + 1);
      if (this.#newestIn(state) > 0 && this.#within(bound) && this.#newestIn(state) > above) {
        heads.push({ repo, state, bound, row: null, processed: false });
      }
    }
    return heads;
  }

  /** No event that the filter wants has a higher seq in this repository; 0 = there is none at all. */
  #newestIn(state: RepoState): number {
    const { types, include_processed } = this.#request.filter;
    let last = 0;
    for (const [type, { total, pending, lastSeq }] of state.types) {
      const wanted = (include_processed ? total : pending) > 0 && (types === undefined || types.includes(type));
      if (wanted && lastSeq > last) last = lastSeq;
    }
    return include_processed ? last : Math.min(last, state.newest);
  }

  #oldestIn(state: RepoState): number {
    return this.#request.filter.include_processed ? 1 : state.oldest;
  }

  /** Finds the repository's first event at or beyond its bound. False: it has none left. */
  #lookUp(head: Head): boolean {
    let start: number | null = head.bound;
    while (this.#within(head.bound)) {
      if (this.#budget-- <= 0) return true;
      const row = this.#rowFrom(head.repo, head.bound);
      if (!row || !this.#within(row.seq)) return false;
      const run = this.#runs.covering(this.#viewer.userId, head.repo, row.seq);
      if (run && !this.#request.filter.include_processed) {
        head.bound = this.#newest ? run.lo - 1 : run.hi + 1;
        continue;
      }
      if (start !== null) this.#learn(head.state, start, row.seq);
      start = null;
      if (this.#matches(row)) {
        head.bound = row.seq;
        head.row = row;
        head.processed = run !== null;
        return true;
      }
      head.bound = this.#newest ? row.seq - 1 : row.seq + 1;
    }
    return false;
  }

  /** What lies between `from` and `to` is processed, or not there: a next list need not look there again. */
  #learn(state: RepoState, from: number, to: number): void {
    if (this.#request.filter.include_processed) return;
    if (this.#newest && from >= state.newest) state.newest = Math.min(state.newest, to);
    if (!this.#newest && from <= state.oldest) state.oldest = Math.max(state.oldest, to);
  }

  #rowFrom(repo: number, bound: number): LogRow | undefined {
    return this.#sql
      .exec<LogRow>(
        this.#newest
          ? `SELECT ${ROW} FROM event WHERE repo = ${INTEGER} AND seq <= ? ORDER BY seq DESC LIMIT 1`
          : `SELECT ${ROW} FROM event WHERE repo = ${INTEGER} AND seq >= ? ORDER BY seq LIMIT 1`,
        repo,
        bound,
      )
      .toArray()[0];
  }

  #within(seq: number): boolean {
    return seq > this.#request.above && seq < this.#request.below;
  }

  /** The page ends just before `bound`, which has not been looked at. */
  #frontierBefore(bound: number): ListFrontier {
    const seq = this.#newest ? bound + 1 : bound - 1;
    const row = this.#newest
      ? this.#sql
          .exec<{ received: number }>("SELECT received FROM event WHERE seq >= ? ORDER BY seq LIMIT 1", seq)
          .toArray()[0]
      : this.#sql
          .exec<{ received: number }>("SELECT received FROM event WHERE seq <= ? ORDER BY seq DESC LIMIT 1", seq)
          .toArray()[0];
    return { seq, receivedAt: row?.received ?? 0 };
  }
}

function frontierAt(event: EventRow | undefined): ListFrontier | null {
  return event ? { seq: event.seq, receivedAt: event.receivedAt } : null;
}

/** The part of a filter that looks at the row itself. */
export function rowFilter(filter: EventFilter): (row: { type: string; summary: string }) => boolean {
  const { types, exclude_bots } = filter;
  const sender = filter.sender?.toLowerCase();
  const looksInside = sender !== undefined || exclude_bots === true;
  return (row) => {
    if (types && !types.includes(row.type)) return false;
    if (!looksInside) return true;
    const summary = JSON.parse(row.summary) as { sender: string | null; sender_type?: string };
    if (sender !== undefined && summary.sender?.toLowerCase() !== sender) return false;
    return !(exclude_bots && summary.sender_type === "Bot");
  };
}
