/** From a cursor to a place in each store, and back. */
import { type Cursor, decodeCursor, encodeCursor, type StorePosition } from "@github-webhook-mcp/shared/cursor.ts";
import type { ListBound } from "../ports.ts";
import { InboxError } from "./errors.ts";
import type { Source } from "./feed.ts";
import { tiesComeBefore } from "./order.ts";

/** @throws InboxError `invalid` for a text that no answer ever held. */
export function readCursor(text: string | undefined): Cursor | null {
  if (text === undefined) return null;
  const cursor = decodeCursor(text);
  if (!cursor) {
    throw new InboxError("invalid", "This cursor can't be read. Pass one from an earlier answer unchanged, or none.");
  }
  return cursor;
}

/**
 * Where a newest-first list goes on in one store; `nothing` where everything there is newer than the cursor.
 * An event cursor continues strictly behind its event; a stores cursor includes what it says was delivered.
 */
export function newestBound(cursor: Cursor | null, accountId: number): ListBound | undefined | "nothing" {
  if (!cursor) return undefined;
  if (cursor.kind === "event") {
    return accountId === cursor.accountId
      ? { seq: cursor.position.seq }
      : { receivedAt: cursor.receivedAt, inclusive: tiesComeBefore(accountId, cursor) };
  }
  const position = cursor.stores.get(accountId);
  if (position) return { seq: position.seq + 1 };
  const time = cursor.times?.get(accountId);
  return time === undefined ? "nothing" : { receivedAt: time, inclusive: true };
}

/** A cursor's position in one store; undefined = nothing there was delivered yet. Asks the store only about a time. */
export async function positionIn(
  cursor: Cursor | null,
  { account: { accountId }, store, viewer }: Source,
): Promise<StorePosition | undefined> {
  if (!cursor) return undefined;
  if (cursor.kind === "event") {
    return accountId === cursor.accountId
      ? cursor.position
      : store.positionAt(viewer, cursor.receivedAt, tiesComeBefore(accountId, cursor));
  }
  const time = cursor.times?.get(accountId);
  return time === undefined ? cursor.stores.get(accountId) : store.positionAt(viewer, time, true);
}

/** The positions that a reader has reached, as the next stores cursor. */
export class Positions {
  readonly #stores: Map<number, StorePosition>;
  readonly #times: Map<number, number>;

  /** Begins with what a stores cursor says, accounts that the viewer does not see at present included. */
  constructor(cursor: Cursor | null) {
    this.#stores = new Map(cursor?.kind === "stores" ? cursor.stores : []);
    this.#times = new Map(cursor?.kind === "stores" ? cursor.times : []);
  }

  get(accountId: number): StorePosition | undefined {
    return this.#stores.get(accountId);
  }

  set(accountId: number, position: StorePosition | undefined): void {
    if (!position) return;
    this.#times.delete(accountId);
    this.#stores.set(accountId, position);
  }

  /** For a store that gives no position: what it receives after this time is still to come. */
  setTime(accountId: number, time: number): void {
    this.#stores.delete(accountId);
    this.#times.set(accountId, time);
  }

  cursor(): Cursor {
    // Position 0 is what a store has that is not named.
    const named = [...this.#stores].filter(([, { seq, backfill }]) => seq > 0 || backfill);
    return { kind: "stores", stores: new Map(named), times: new Map(this.#times) };
  }

  encode(): string {
    return encodeCursor(this.cursor());
  }
}
