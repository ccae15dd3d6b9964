/**
 * The store's share of the account's hourly quota. The TenantRegistry decides; the store takes a few hundred at once
 * and counts them down itself, so that a webhook costs one Durable Object request. What is used is not written down:
 * it follows from the seq at which the lease began.
 */
import type { QuotaLease } from "../ports.ts";

/** Deliveries leased at once. */
export const LEASE_SIZE = 250;

type LeaseRow = { window_end: number; granted: number; base_seq: number };

export class Lease {
  readonly #sql: SqlStorage;
  #lease: LeaseRow = { window_end: 0, granted: 0, base_seq: 0 };
  /** The registry has no more for this window. */
  #spent = false;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.reload();
  }

  /** Reads what is stored: at start, and after a transaction that was rolled back. */
  reload(): void {
    const rows = this.#sql
      .exec<{ key: string; value: number }>("SELECT key, value FROM meta WHERE key LIKE 'lease_%'")
      .toArray();
    const kept = new Map(rows.map(({ key, value }) => [key, value]));
    this.#lease = {
      window_end: kept.get("lease_window_end") ?? 0,
      granted: kept.get("lease_granted") ?? 0,
      base_seq: kept.get("lease_base_seq") ?? 0,
    };
  }

  /** Whether one more delivery may be stored. `head` = seq of the newest event. */
  allows(head: number, now: number): boolean {
    return now < this.#lease.window_end && head - this.#lease.base_seq < this.#lease.granted;
  }

  /** Seconds until a spent quota begins anew; null = the registry may have more. */
  retryAfter(now: number): number | null {
    return this.#spent && now < this.#lease.window_end ? Math.ceil((this.#lease.window_end - now) / 1000) : null;
  }

  /** Takes what the registry granted. */
  take({ granted, windowEnd }: QuotaLease, head: number): void {
    this.#spent = granted === 0;
    if (windowEnd === this.#lease.window_end) this.#lease.granted += granted;
    else this.#lease = { window_end: windowEnd, granted, base_seq: head };
    this.#save();
  }

  /** One event was stored that the quota does not count. */
  exempt(now: number): void {
    if (now >= this.#lease.window_end) return;
    this.#lease.base_seq += 1;
    this.#save();
  }

  #save(): void {
    for (const [key, value] of Object.entries(this.#lease)) {
      this.#sql.exec(
        "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        `lease_${key}`,
        value,
      );
    }
  }
}
