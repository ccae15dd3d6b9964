/** The total order of a viewer's events over all their stores: received_at, then account, then seq. */
import type { StorePosition } from "@github-webhook-mcp/shared/cursor.ts";

export interface Place {
  receivedAt: number;
  accountId: number;
  seq: number;
}

/** Negative when `a` is older. */
export function byAge(a: Place, b: Place): number {
  return a.receivedAt - b.receivedAt || a.accountId - b.accountId || a.seq - b.seq;
}

/**
 * Whether, in the store of `accountId`, the events received in the very millisecond of an event cursor stand before
 * it: the account decides between equal times.
 */
export function tiesComeBefore(accountId: number, cursor: { accountId: number }): boolean {
  return accountId < cursor.accountId;
}

/** A position that nothing stands before. */
export function start(version: string): StorePosition {
  return { seq: 0, version };
}
