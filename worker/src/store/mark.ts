/** What a viewer says is done: single events, or everything up to a place in the stream. */
import type { EventFilter } from "@github-webhook-mcp/shared/events.ts";
import type { StoreViewer } from "../viewer.ts";
import type { Counters } from "./counters.ts";
import type { EventLog, LogRow } from "./event-log.ts";
import { type PendingCache, repositoryNamed, type TypeState, type ViewerState } from "./pending.ts";
import type { ProcessedRuns } from "./processed.ts";
import type { EventReader } from "./reader.ts";

/** Events marked in one transaction while a filter picks them one by one. */
const BATCH = 500;

export interface MarkParts {
  storage: DurableObjectStorage;
  log: EventLog;
  counters: Counters;
  runs: ProcessedRuns;
  pending: PendingCache;
  reader: EventReader;
}

export class Marker {
  readonly #parts: MarkParts;

  constructor(parts: MarkParts) {
    this.#parts = parts;
  }

  /** Marks events by id. `found` = those that exist among what the viewer sees, in any state. */
  ids(viewer: StoreViewer, ids: readonly string[]): { found: string[]; marked: number } {
    const { storage, log, pending } = this.#parts;
    const { access } = pending.of(viewer);
    const found: string[] = [];
    let marked = 0;
    this.#atomically(storage, () => {
      for (const id of ids) {
        const row = log.byId(id, access.visible);
        if (!row) continue;
        found.push(id);
        if (this.#one(viewer.userId, row)) marked += 1;
      }
    });
    return { found, marked };
  }

  /** Marks the pending events at or before `seq` that the filter wants. Returns how many they were. */
  upTo(viewer: StoreViewer, seq: number, filter: EventFilter): number {
    const state = this.#parts.pending.of(viewer);
    const byRow = filter.types !== undefined || filter.sender !== undefined || filter.exclude_bots === true;
    return byRow ? this.#matching(viewer, seq, filter) : this.#repositories(viewer.userId, state, seq, filter);
  }

  /** Whole repositories: one interval each. */
  #repositories(userId: number, state: ViewerState, seq: number, filter: EventFilter): number {
    const named = filter.repo === undefined ? undefined : repositoryNamed(state, filter.repo);
    let marked = 0;
    this.#atomically(this.#parts.storage, () => {
      for (const [repo, { types, oldest }] of state.repos) {
        const pending = [...types.values()].reduce((sum, type) => sum + type.pending, 0);
        if ((named !== undefined && named !== repo) || pending === 0 || oldest > seq) continue;
        marked += this.#repository(userId, repo, types, seq);
      }
    });
    return marked;
  }

  #repository(userId: number, repo: number, types: ReadonlyMap<string, TypeState>, seq: number): number {
    const { counters, runs, pending, storage } = this.#parts;
    const last = storage.sql
      .exec<{ seq: number }>("SELECT seq FROM event WHERE repo = ? AND seq <= ? ORDER BY seq DESC LIMIT 1", repo, seq)
      .toArray()[0];
    if (!last) return 0;
    // What stays pending are the few events after the place, so count those instead of all before it.
    const staying = new Map<string, number>();
    const later = storage.sql
      .exec<{ seq: number; type: string }>("SELECT seq, type FROM event WHERE repo = ? AND seq > ?", repo, seq)
      .toArray();
    for (const event of later) {
      if (!runs.covering(userId, repo, event.seq)) staying.set(event.type, (staying.get(event.type) ?? 0) + 1);
    }
    runs.addUpTo(userId, repo, last.seq);
    let marked = 0;
    for (const [type, count] of types) {
      const n = count.pending - (staying.get(type) ?? 0);
      if (n <= 0) continue;
      counters.processed(userId, repo, type, n);
      pending.processed(userId, repo, type, n);
      marked += n;
    }
    return marked;
  }

  /** Event by event, in batches, so that a large inbox doesn't make one large transaction. */
  #matching(viewer: StoreViewer, seq: number, filter: EventFilter): number {
    const { storage, pending, reader } = this.#parts;
    const wanted = { ...filter, include_processed: false };
    let marked = 0;
    for (let above = 0; ; ) {
      const page = reader.read(pending.of(viewer), {
        order: "oldest",
        limit: BATCH,
        filter: wanted,
        above,
        below: seq + 1,
      });
      this.#atomically(storage, () => {
        for (const event of page.events) {
          if (this.#one(viewer.userId, { seq: event.seq, repo: event.repository, type: event.type })) marked += 1;
        }
      });
      if (!page.frontier) return marked;
      above = page.frontier.seq;
    }
  }

  #one(userId: number, { seq, repo, type }: Pick<LogRow, "seq" | "repo" | "type">): boolean {
    const { runs, counters, pending } = this.#parts;
    if (runs.covering(userId, repo, seq)) return false;
    runs.add(userId, repo, seq);
    counters.processed(userId, repo, type, 1);
    pending.processed(userId, repo, type, 1);
    return true;
  }

  #atomically(storage: DurableObjectStorage, change: () => void): void {
    try {
      storage.transactionSync(change);
    } catch (error) {
      this.#parts.pending.clear();
      throw error;
    }
  }
}
