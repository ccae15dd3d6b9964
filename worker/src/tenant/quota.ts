/**
 * How many deliveries an account may store in an hour. Windows are fixed and aligned to the hour, so that a spent
 * quota comes back at a time that everyone can compute.
 */
import type { QuotaLease } from "../ports.ts";

export const QUOTA_WINDOW_MS = 3_600_000;

/**
 * Takes up to `wanted` deliveries out of the account's quota of this window: check and increment in one step, since
 * nothing else runs between the statements of one synchronous function in a Durable Object.
 *
 * @param limit deliveries in a window; 0 = no limit
 */
export function leaseQuota(sql: SqlStorage, accountId: number, wanted: number, limit: number, now: number): QuotaLease {
  const windowStart = now - (now % QUOTA_WINDOW_MS);
  const windowEnd = windowStart + QUOTA_WINDOW_MS;
  if (limit === 0) return { granted: wanted, windowEnd };
  const [row] = sql
    .exec<{ used: number }>("SELECT used FROM quota WHERE window_start = ? AND account_id = ?", windowStart, accountId)
    .toArray();
  const granted = Math.max(0, Math.min(wanted, limit - (row?.used ?? 0)));
  if (granted === 0) return { granted, windowEnd };
  // Windows that are over say nothing any more. Once for each account and hour; by key, so that it costs nothing.
  if (row === undefined) sql.exec("DELETE FROM quota WHERE window_start < ?", windowStart);
  sql.exec(
    `INSERT INTO quota (window_start, account_id, used) VALUES (?1, ?2, ?3)
     ON CONFLICT DO UPDATE SET used = used + ?3`,
    windowStart,
    accountId,
    granted,
  );
  return { granted, windowEnd };
}
