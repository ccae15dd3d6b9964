/** Who read this store when, and with which access: retention waits for those who still come. */
import type { StoreViewer } from "../viewer.ts";

/** A visit is written down at most this often, so that reading costs no writes. */
const RESOLUTION_MS = 3600_000;

export type KnownViewer = { id: number; version: string; seen: number };

export class Viewers {
  readonly #sql: SqlStorage;
  readonly #seen = new Map<number, { version: string; seen: number }>();

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Notes that a viewer called a tool. */
  touch({ userId, version }: StoreViewer, now: number): void {
    const last = this.#seen.get(userId);
    if (last && last.version === version && now - last.seen < RESOLUTION_MS) return;
    this.#sql.exec(
      "INSERT INTO viewer (id, version, seen) VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET version = excluded.version, seen = excluded.seen",
      userId,
      version,
      now,
    );
    this.#seen.set(userId, { version, seen: now });
  }

  /** All that ever came. */
  all(): KnownViewer[] {
    return this.#sql.exec<KnownViewer>("SELECT id, version, seen FROM viewer").toArray();
  }
}
