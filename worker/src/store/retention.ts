/**
 * What is removed, and when:
 * - events that every viewer of the last seven days who can see them has processed, after PURGE_AFTER_DAYS;
 * - all events after UNPROCESSED_PURGE_AFTER_DAYS;
 * - above MAX_STORE_BYTES the oldest processed, then the oldest, which is reported as dropped;
 * - everything, 30 days after the App was uninstalled.
 *
 * A sweep works in small transactions and within a budget; what it leaves is the next one's. It runs on a mark and by
 * the object's alarm, which is armed only while there is something that will fall due.
 */
import type { ConfigResult } from "../config.ts";
import { log as writeLog } from "../log.ts";
import type { AccessSets } from "./access.ts";
import type { Counters } from "./counters.ts";
import type { EventLog } from "./event-log.ts";
import type { PendingCache } from "./pending.ts";
import type { ProcessedRuns, Run } from "./processed.ts";
import type { KnownViewer, Viewers } from "./viewers.ts";

export interface RetentionLimits {
  purgeAfterMs: number;
  unprocessedPurgeAfterMs: number;
  maxStoreBytes: number;
}

export interface RetentionParts {
  /** Names the store in the log. */
  name: string;
  storage: DurableObjectStorage;
  log: EventLog;
  counters: Counters;
  runs: ProcessedRuns;
  pending: PendingCache;
  viewers: Viewers;
  access: AccessSets;
  limits: RetentionLimits;
}

/** The limits that the configuration sets. The Worker refuses requests whose configuration can't be read. */
export function retentionLimits(read: ConfigResult): RetentionLimits {
  if (!read.ok) throw new Error(`configuration: ${read.errors.join("; ")}`);
  const { purgeAfterDays, unprocessedPurgeAfterDays, maxStoreBytes } = read.config;
  return {
    purgeAfterMs: purgeAfterDays * DAY_MS,
    unprocessedPurgeAfterMs: unprocessedPurgeAfterDays * DAY_MS,
    maxStoreBytes,
  };
}

const DAY_MS = 24 * 3600_000;
/** Who counts as a viewer that an event waits for. */
const ACTIVE_MS = 7 * DAY_MS;
/** How long a removal by the volume cap is reported. */
const DROPPED_SHOWN_DAYS = 7;
const EMPTY_AFTER_UNINSTALL_MS = 30 * DAY_MS;
/** Events removed in one transaction, and in one sweep. */
const BATCH = 200;
const SWEEP_BUDGET = 2_000;
/** After the cap was reached, room is made down to this part of it, so that not every event makes room for one. */
const CAP_TARGET = 0.95;
/** An alarm that has more to do comes back after this. */
const AGAIN_MS = 1_000;

type Doomed = { seq: number; repo: number; type: string };

export class Retention {
  readonly #parts: RetentionParts;
  /** When the alarm is set for; undefined = not asked yet. */
  #alarm: number | null | undefined;

  constructor(parts: RetentionParts) {
    this.#parts = parts;
  }

  /** Removes what has fallen due. Returns how many events that were. */
  sweep(now: number): number {
    let left = SWEEP_BUDGET;
    if (this.#emptyDue(now)) left -= this.#removeOldest(this.#parts.log.head, left, null);
    left -= this.#removeExpired(now, left);
    left -= this.#removeProcessed(now - this.#parts.limits.purgeAfterMs, now, left);
    left -= this.#makeRoom(now, left);
    return SWEEP_BUDGET - left;
  }

  /** The alarm: a sweep, and what is kept beside the events. */
  async alarm(now: number): Promise<void> {
    this.#alarm = null;
    const removed = this.sweep(now);
    this.#parts.storage.sql.exec("DELETE FROM dropped WHERE day < ?", dayOf(now) - DROPPED_SHOWN_DAYS);
    if (this.#emptyDue(now) && !this.#parts.log.oldest()) this.#forgetAll();
    this.#parts.access.sweep(now);
    await this.arm(now, removed >= SWEEP_BUDGET);
  }

  /** Whether this instance knows the alarm to be set. */
  get armed(): boolean {
    return typeof this.#alarm === "number";
  }

  /** Sets the alarm for when the next thing falls due, if it is not set for then or earlier. */
  async arm(now: number, soon = false): Promise<void> {
    const due = soon ? now + AGAIN_MS : this.#nextDue(now);
    if (due === null) return;
    this.#alarm ??= await this.#parts.storage.getAlarm();
    if (this.#alarm !== null && this.#alarm <= due) return;
    this.#alarm = due;
    await this.#parts.storage.setAlarm(due);
  }

  /** Above the volume cap there is something to sweep at once. */
  overCap(): boolean {
    return this.#parts.storage.sql.databaseSize > this.#parts.limits.maxStoreBytes;
  }

  /** The App was uninstalled (or installed again): the store is emptied in 30 days (or is not). */
  uninstalled(at: number | null): void {
    const { sql } = this.#parts.storage;
    if (at === null) sql.exec("DELETE FROM meta WHERE key = 'empty_at'");
    else
      sql.exec(
        "INSERT INTO meta (key, value) VALUES ('empty_at', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        at + EMPTY_AFTER_UNINSTALL_MS,
      );
  }

  /** Events that the volume cap removed in the last days, among the repositories of a clause. */
  dropped(now: number, visible: { clause: string; params: readonly string[] }): number {
    return this.#parts.storage.sql
      .exec<{ n: number }>(
        `SELECT coalesce(sum(n), 0) AS n FROM dropped WHERE day > ? AND ${visible.clause}`,
        dayOf(now) - DROPPED_SHOWN_DAYS,
        ...visible.params,
      )
      .one().n;
  }

  #nextDue(now: number): number | null {
    const { log, limits, storage } = this.#parts;
    const emptyAt = this.#emptyAt();
    const oldest = log.oldest();
    if (!oldest) return emptyAt;
    const hasProcessed = storage.sql.exec("SELECT 1 FROM run LIMIT 1").toArray().length > 0;
    const keep = hasProcessed
      ? Math.min(limits.purgeAfterMs, limits.unprocessedPurgeAfterMs)
      : limits.unprocessedPurgeAfterMs;
    // What is old and not yet processed by all is looked at once a day, not again and again.
    const due = Math.max(oldest.received + keep, now + (hasProcessed ? DAY_MS : AGAIN_MS));
    return emptyAt === null ? due : Math.min(due, emptyAt);
  }

  #emptyAt(): number | null {
    return (
      this.#parts.storage.sql.exec<{ value: number }>("SELECT value FROM meta WHERE key = 'empty_at'").toArray()[0]
        ?.value ?? null
    );
  }

  #emptyDue(now: number): boolean {
    const at = this.#emptyAt();
    return at !== null && at <= now;
  }

  #removeExpired(now: number, budget: number): number {
    const oldest = this.#parts.log.oldest();
    const cutoff = now - this.#parts.limits.unprocessedPurgeAfterMs;
    if (!oldest || oldest.received > cutoff) return 0;
    return this.#removeOldest(this.#parts.log.seqAt(cutoff, true), budget, null);
  }

  /** Removes events up to `seq`, oldest first. `droppedOn` = the day under which they are reported as dropped. */
  #removeOldest(seq: number, budget: number, droppedOn: number | null): number {
    let removed = 0;
    while (removed < budget) {
      const batch = this.#parts.storage.sql
        .exec<Doomed>(
          "SELECT seq, repo, type FROM event WHERE seq <= ? ORDER BY seq LIMIT ?",
          seq,
          Math.min(BATCH, budget - removed),
        )
        .toArray();
      if (batch.length === 0) break;
      this.#remove(batch, droppedOn);
      removed += batch.length;
    }
    return removed;
  }

  /** Removes events received before `cutoff` that everyone who counts has processed. */
  #removeProcessed(cutoff: number, now: number, budget: number): number {
    const { log, viewers, runs, storage } = this.#parts;
    const oldest = log.oldest();
    if (!oldest || oldest.received > cutoff || budget <= 0) return 0;
    const until = log.seqAt(cutoff, true);
    const known = viewers.all();
    const repositories = new Set(known.flatMap(({ id }) => runs.repositories(id)));
    let removed = 0;
    for (const repo of repositories) {
      for (const { lo, hi } of this.#processedByAll(repo, until, known, now)) {
        while (removed < budget) {
          const batch = storage.sql
            .exec<Doomed>(
              "SELECT seq, repo, type FROM event WHERE repo = ? AND seq BETWEEN ? AND ? ORDER BY seq LIMIT ?",
              repo,
              lo,
              hi,
              Math.min(BATCH, budget - removed),
            )
            .toArray();
          if (batch.length === 0) break;
          this.#remove(batch, null);
          removed += batch.length;
        }
      }
      this.#forgetRuns(repo, known);
      if (removed >= budget) break;
    }
    return removed;
  }

  /**
   * Intervals of a repository up to `until` that every active viewer who sees it has processed; where none is active,
   * what any viewer has.
   */
  #processedByAll(repo: number, until: number, known: readonly KnownViewer[], now: number): Run[] {
    const { access, runs } = this.#parts;
    const seeing = known.filter(({ version }) => access.ofVersion(version).sees(repo));
    const active = seeing.filter(({ seen }) => now - seen <= ACTIVE_MS);
    const of = ({ id }: KnownViewer) =>
      runs.upTo(id, repo, until).map(({ lo, hi }) => ({ lo, hi: Math.min(hi, until) }));
    if (active.length > 0) return active.map(of).reduce(intersect);
    return known.flatMap(of);
  }

  /** Makes room under the volume cap: the oldest processed events first, then the oldest. */
  #makeRoom(now: number, budget: number): number {
    if (!this.overCap()) return 0;
    const { limits, storage, log } = this.#parts;
    const target = limits.maxStoreBytes * CAP_TARGET;
    let removed = 0;
    while (removed < budget) {
      const excess = storage.sql.databaseSize - target;
      if (excess <= 0) break;
      const step = Math.min(this.#eventsIn(excess), BATCH, budget - removed);
      const processed = this.#removeProcessed(now, now, step);
      const others = processed > 0 ? 0 : this.#removeOldest(log.head, step, dayOf(now));
      if (processed + others === 0) break;
      removed += processed + others;
    }
    if (removed > 0)
      writeLog("warn", "store_cap", { store: this.#parts.name, removed, bytes: storage.sql.databaseSize });
    return removed;
  }

  /** About how many events of average size make up so many bytes; at least one. */
  #eventsIn(bytes: number): number {
    const { sql } = this.#parts.storage;
    const events = sql.exec<{ n: number }>("SELECT coalesce(sum(n), 0) AS n FROM tally").one().n;
    return Math.max(1, Math.floor((bytes / sql.databaseSize) * events));
  }

  #remove(batch: readonly Doomed[], droppedOn: number | null): void {
    const { storage, log, counters, pending, viewers, runs } = this.#parts;
    storage.transactionSync(() => {
      const groups = Map.groupBy(batch, ({ repo, type }) => `${repo} ${type}`);
      const known = viewers.all();
      for (const events of groups.values()) {
        const { repo, type } = events[0]!;
        counters.removed(repo, type, events.length);
        for (const { id } of known) {
          const processed = countCovered(events, runs.upTo(id, repo, events.at(-1)!.seq));
          counters.processed(id, repo, type, -processed);
        }
        if (droppedOn !== null) {
          storage.sql.exec(
            "INSERT INTO dropped (day, repo, n) VALUES (?, ?, ?) ON CONFLICT (day, repo) DO UPDATE SET n = n + excluded.n",
            droppedOn,
            repo,
            events.length,
          );
        }
      }
      for (const { seq } of batch) log.remove(seq);
      log.keepHead();
    });
    pending.clear();
  }

  #forgetRuns(repo: number, known: readonly KnownViewer[]): void {
    const { storage, runs, log } = this.#parts;
    const first = storage.sql
      .exec<{ seq: number }>("SELECT seq FROM event WHERE repo = ? ORDER BY seq LIMIT 1", repo)
      .toArray()[0];
    for (const { id } of known) runs.forgetBefore(id, repo, first?.seq ?? log.head + 1);
  }

  /** After the last event is gone, nothing of the account's users stays; the head does, so that no cursor goes wrong. */
  #forgetAll(): void {
    const { storage, pending } = this.#parts;
    storage.transactionSync(() => {
      for (const table of ["run", "acktally", "tally", "viewer", "access", "dropped"])
        storage.sql.exec(`DELETE FROM ${table}`);
      storage.sql.exec("DELETE FROM meta WHERE key = 'empty_at'");
    });
    pending.clear();
  }
}

function dayOf(now: number): number {
  return Math.floor(now / DAY_MS);
}

/** What two ordered lists of intervals have in common. */
function intersect(a: readonly Run[], b: readonly Run[]): Run[] {
  const common: Run[] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const lo = Math.max(a[i]!.lo, b[j]!.lo);
    const hi = Math.min(a[i]!.hi, b[j]!.hi);
    if (lo <= hi) common.push({ lo, hi });
    if (a[i]!.hi < b[j]!.hi) i++;
    else j++;
  }
  return common;
}

/** How many of the events lie in the intervals; both in order of seq. */
function countCovered(events: readonly Doomed[], runs: readonly Run[]): number {
  let covered = 0;
  let i = 0;
  for (const { seq } of events) {
    while (i < runs.length && runs[i]!.hi < seq) i++;
    if (i < runs.length && runs[i]!.lo <= seq) covered++;
  }
  return covered;
}
