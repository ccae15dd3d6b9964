/** Positions in the stream, as the processes of one machine share them. Pure. */
import { type Cursor, decodeCursor, encodeCursor } from "@github-webhook-mcp/shared/cursor.ts";

/**
 * The further of two stream cursors, store by store: several bridges write one file, and what one of them has notified
 * must not come back because another is behind. A cursor that can't be read gives way to the one that can.
 */
export function further(kept: string | undefined, reached: string): string {
  const before = kept === undefined ? null : decodeCursor(kept);
  const after = decodeCursor(reached);
  if (before?.kind !== "stores" || after?.kind !== "stores") return reached;
  const stores = new Map(after.stores);
  for (const [account, position] of before.stores) {
    const other = stores.get(account);
    if (other === undefined || other.seq < position.seq) stores.set(account, position);
  }
  const times = new Map<number, number>();
  for (const [account, time] of [...(before.times ?? []), ...(after.times ?? [])]) {
    if (!stores.has(account)) times.set(account, Math.max(time, times.get(account) ?? 0));
  }
  const merged: Cursor = times.size > 0 ? { kind: "stores", stores, times } : { kind: "stores", stores };
  return encodeCursor(merged);
}
