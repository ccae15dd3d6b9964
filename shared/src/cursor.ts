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
 *
 * On the wire: `s1` or `e1`, then one entry for each store behind a `~`, its fields joined by `.`, numbers in base 36.
 * All of it is unreserved in URLs (RFC 3986 §2.3).
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
  | {
      kind: "stores";
      stores: ReadonlyMap<number, StorePosition>;
      /** Stores that could not be asked for a seq: everything received after this time (milliseconds) is to come. */
      times?: ReadonlyMap<number, number>;
    }
  | { kind: "event"; accountId: number; receivedAt: number; position: StorePosition };

/** Longest cursor that is read; a stores cursor needs about 20 characters for each store. */
export const MAX_CURSOR_LENGTH = 65_536;
/** Most stores that one cursor names. */
export const MAX_CURSOR_STORES = 2_000;

const NUMBER = /^(?:0|[1-9a-z][0-9a-z]{0,10})$/;
const VERSION = /^[A-Za-z0-9_-]{1,32}$/;

/** Writes a cursor down: URL-safe, and about 25 characters for an event. */
export function encodeCursor(cursor: Cursor): string {
  if (cursor.kind === "event") {
    return `e1~${num(cursor.accountId)}.${num(cursor.receivedAt)}.${positionText(cursor.position)}`;
  }
  let text = "s1";
  for (const [accountId, position] of cursor.stores) text += `~${num(accountId)}.${positionText(position)}`;
  for (const [accountId, time] of cursor.times ?? []) text += `~${num(accountId)}.${num(time)}`;
  return text;
}

/** Reads what {@link encodeCursor} wrote; null for anything else. Never throws. */
export function decodeCursor(text: string): Cursor | null {
  if (text.length > MAX_CURSOR_LENGTH) return null;
  const [form, ...entries] = text.split("~");
  if (form === "e1") return entries.length === 1 ? decodeEvent(entries[0]!.split(".")) : null;
  if (form === "s1") return entries.length <= MAX_CURSOR_STORES ? decodeStores(entries) : null;
  return null;
}

function decodeEvent([account, time, ...rest]: string[]): Cursor | null {
  const accountId = parseNum(account);
  const receivedAt = parseNum(time);
  const position = parsePosition(rest);
  if (accountId === null || receivedAt === null || position === null) return null;
  return { kind: "event", accountId, receivedAt, position };
}

function decodeStores(entries: readonly string[]): Cursor | null {
  const stores = new Map<number, StorePosition>();
  const times = new Map<number, number>();
  for (const entry of entries) {
    const [account, ...rest] = entry.split(".");
    const accountId = parseNum(account);
    if (accountId === null || stores.has(accountId) || times.has(accountId)) return null;
    if (rest.length === 1) {
      const time = parseNum(rest[0]);
      if (time === null) return null;
      times.set(accountId, time);
      continue;
    }
    const position = parsePosition(rest);
    if (position === null) return null;
    stores.set(accountId, position);
  }
  return times.size > 0 ? { kind: "stores", stores, times } : { kind: "stores", stores };
}

function positionText({ seq, version, backfill }: StorePosition): string {
  const text = `${num(seq)}.${version}`;
  return backfill ? `${text}.${num(backfill.seq)}.${backfill.version}` : text;
}

function parsePosition(fields: readonly string[]): StorePosition | null {
  if (fields.length !== 2 && fields.length !== 4) return null;
  const seq = parseNum(fields[0]);
  const version = fields[1]!;
  if (seq === null || !VERSION.test(version)) return null;
  if (fields.length === 2) return { seq, version };
  const backfillSeq = parseNum(fields[2]);
  const backfillVersion = fields[3]!;
  if (backfillSeq === null || !VERSION.test(backfillVersion)) return null;
  return { seq, version, backfill: { seq: backfillSeq, version: backfillVersion } };
}

function num(value: number): string {
  return value.toString(36);
}

function parseNum(text: string | undefined): number | null {
  if (text === undefined || !NUMBER.test(text)) return null;
  const value = Number.parseInt(text, 36);
  return Number.isSafeInteger(value) ? value : null;
}
