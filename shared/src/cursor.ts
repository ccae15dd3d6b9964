/**
 * The one kind of cursor: an opaque position in a viewer's merged stream of events.
 *
 * Two forms share the encoding. A *stores* cursor holds a position for every store that has events, and is what
 * `get_pending_status`, `wait_for_events`, the stream and oldest-first lists give. An *event* cursor is the
 * position right after one event in the total order (received_at, account, seq); it stands beside each summary and
 * continues newest-first lists, and stays short however many stores there are.
 *
 * Both carry the viewer's access version of the store(s) they name: when access has grown since, the events that
 * became visible are delivered once although the position had moved past them.
 */

/** A position in one store. */
export interface StorePosition {
  /** Everything up to this seq was delivered … */
  seq: number;
  /** … of the repositories that this access version names. */
  version: string;
  /** While events of newly visible repositories are caught up with: those between here and `seq` are still to come. */
  backfill?: { seq: number; version: string };
}

export type Cursor =
  | { kind: "stores"; stores: ReadonlyMap<number, StorePosition> }
  | { kind: "event"; accountId: number; receivedAt: number; position: StorePosition };
