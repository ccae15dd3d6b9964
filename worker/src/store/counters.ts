/**
 * How many events there are, by repository and type, and how many of them each viewer has processed. Reads that would
 * walk the events walk these few rows instead. Every change of `event` or `run` goes with one here, in the same
 * transaction.
 */
import type { RepoClause } from "./access.ts";
import type { LogRow } from "./event-log.ts";

/** Events of one type in one repository, as a viewer has them before them. */
export type TypeCount = {
  repo: number;
  type: string;
  total: number;
  pending: number;
  last_seq: number;
  name: string | null;
};

export class Counters {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Counts a new event. `name` is the repository's full name as the event gives it. */
  added(event: LogRow, name: string | null): void {
    this.#sql.exec(
      `INSERT INTO tally (repo, type, n, last_seq, name) VALUES (?, ?, 1, ?, ?)
       ON CONFLICT (repo, type) DO UPDATE SET n = n + 1, last_seq = excluded.last_seq, name = coalesce(excluded.name, name)`,
      event.repo,
      event.type,
      event.seq,
      name,
    );
  }

  /** Takes `n` removed events out of the count. */
  removed(repo: number, type: string, n: number): void {
    this.#sql.exec("UPDATE tally SET n = n - ? WHERE repo = ? AND type = ?", n, repo, type);
    this.#sql.exec("DELETE FROM tally WHERE repo = ? AND type = ? AND n <= 0", repo, type);
  }

  /** Changes a viewer's count of processed events by `n` (negative where processed events were removed). */
  processed(viewer: number, repo: number, type: string, n: number): void {
    if (n === 0) return;
    this.#sql.exec(
      "INSERT INTO acktally (viewer, repo, type, n) VALUES (?, ?, ?, ?) ON CONFLICT (viewer, repo, type) DO UPDATE SET n = n + excluded.n",
      viewer,
      repo,
      type,
      n,
    );
    if (n < 0)
      this.#sql.exec("DELETE FROM acktally WHERE viewer = ? AND repo = ? AND type = ? AND n <= 0", viewer, repo, type);
  }

  /** All counts that a viewer may see: rows in proportion to repositories × types, not to events. */
  read(viewer: number, visible: RepoClause): TypeCount[] {
    return this.#sql
      .exec<TypeCount>(
        `SELECT repo, type, t.n AS total, t.n - coalesce((SELECT n FROM acktally a WHERE a.viewer = ? AND a.repo = t.repo AND a.type = t.type), 0) AS pending, last_seq, name
         FROM tally t WHERE ${visible.clause}`,
        viewer,
        ...visible.params,
      )
      .toArray();
  }
}
