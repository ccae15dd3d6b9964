/**
 * Which events a viewer has processed, as intervals of seq in one repository: marking everything up to here is one
 * row, however many events it covers. Intervals never overlap, and two with no event of the repository between them
 * are one.
 */

import { INTEGER } from "./sql-parameter.ts";

export type Run = { lo: number; hi: number };

export class ProcessedRuns {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** The interval that covers an event; null = pending. One row. */
  covering(viewer: number, repo: number, seq: number): Run | null {
    const run = this.#from(viewer, repo, seq);
    return run && run.lo <= seq ? run : null;
  }

  /** Marks one pending event. At most two rows written. */
  add(viewer: number, repo: number, seq: number): void {
    const left = this.#sql
      .exec<Run>(
        `SELECT lo, hi FROM run WHERE viewer = ${INTEGER} AND repo = ${INTEGER} AND hi < ? ORDER BY hi DESC LIMIT 1`,
        viewer,
        repo,
        seq,
      )
      .toArray()[0];
    const right = this.#from(viewer, repo, seq);
    const joinsLeft = left !== undefined && !this.#hasEventBetween(repo, left.hi, seq);
    const joinsRight = right !== null && !this.#hasEventBetween(repo, seq, right.lo);
    const lo = joinsLeft ? left.lo : seq;
    if (joinsLeft) this.#sql.exec("DELETE FROM run WHERE viewer = ? AND repo = ? AND hi = ?", viewer, repo, left.hi);
    if (joinsRight)
      this.#sql.exec("UPDATE run SET lo = ? WHERE viewer = ? AND repo = ? AND hi = ?", lo, viewer, repo, right.hi);
    else this.#sql.exec("INSERT INTO run (viewer, repo, hi, lo) VALUES (?, ?, ?, ?)", viewer, repo, seq, lo);
  }

  /** Marks every event of a repository up to `seq`, which must be an event's. */
  addUpTo(viewer: number, repo: number, seq: number): void {
    const over = this.#from(viewer, repo, seq);
    const hi = over && over.lo <= seq ? over.hi : seq;
    this.#sql.exec("DELETE FROM run WHERE viewer = ? AND repo = ? AND hi <= ?", viewer, repo, hi);
    this.#sql.exec("INSERT INTO run (viewer, repo, hi, lo) VALUES (?, ?, ?, 1)", viewer, repo, hi);
  }

  /** A viewer's intervals in a repository that begin at or before `seq`, in order. */
  upTo(viewer: number, repo: number, seq: number): Run[] {
    return this.#sql
      .exec<Run>("SELECT lo, hi FROM run WHERE viewer = ? AND repo = ? AND lo <= ? ORDER BY hi", viewer, repo, seq)
      .toArray();
  }

  /** Repositories in which a viewer has intervals. */
  repositories(viewer: number): number[] {
    return this.#sql
      .exec<{ repo: number }>("SELECT DISTINCT repo FROM run WHERE viewer = ?", viewer)
      .toArray()
      .map(({ repo }) => repo);
  }

  /** Forgets a viewer's intervals that lie wholly before `seq`: their events are gone. */
  forgetBefore(viewer: number, repo: number, seq: number): void {
    this.#sql.exec("DELETE FROM run WHERE viewer = ? AND repo = ? AND hi < ?", viewer, repo, seq);
  }

  #from(viewer: number, repo: number, seq: number): Run | null {
    return (
      this.#sql
        .exec<Run>(
          `SELECT lo, hi FROM run WHERE viewer = ${INTEGER} AND repo = ${INTEGER} AND hi >= ? ORDER BY hi LIMIT 1`,
          viewer,
          repo,
          seq,
        )
        .toArray()[0] ?? null
    );
  }

  #hasEventBetween(repo: number, after: number, before: number): boolean {
    return (
      this.#sql
        .exec(`SELECT 1 FROM event WHERE repo = ${INTEGER} AND seq > ? AND seq < ? LIMIT 1`, repo, after, before)
        .toArray().length > 0
    );
  }
}
