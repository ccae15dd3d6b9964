/**
 * The log of events: one row each, in order of arrival, deduplicated by the unique delivery key. Large payloads go on
 * in `chunk`. Knows nothing of viewers; what it returns by seq or repository has been checked by its caller's SQL.
 */
import type { EventRow, IngestDelivery, PackedPayload } from "../ports.ts";
import { mintedSeq, mintId, uuidBytes } from "./event-id.ts";

/** Length of a delivery key: 16 bytes that name the delivery, 8 that name the hook that sent it. */
const KEY_LENGTH = 24;

/** The columns of a {@link LogRow}; payload columns are read on demand only. */
export const ROW = "seq, id, delivery, type, repo, received, size, summary";
/** The same, for a statement that names more than one table. */
export const EVENT_ROW = ROW.replaceAll(/\w+/g, "event.$&");

/** An event as its row stands; whether it is processed depends on who asks. */
export type LogRow = {
  seq: number;
  id: string;
  delivery: string | null;
  type: string;
  repo: number;
  received: number;
  size: number;
  summary: string;
};

/** The row as the store's callers see it. */
export function toEventRow(row: LogRow, processed: boolean): EventRow {
  return {
    seq: row.seq,
    id: row.id,
    deliveryId: row.delivery,
    type: row.type,
    repository: row.repo,
    receivedAt: row.received,
    processed,
    summary: row.summary,
    payloadSize: row.size,
  };
}

export class EventLog {
  readonly #sql: SqlStorage;
  #head: number;
  #lastReceived: number;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    const newest = sql
      .exec<{ seq: number; received: number }>("SELECT seq, received FROM event ORDER BY seq DESC LIMIT 1")
      .toArray()[0];
    const kept = sql.exec<{ value: number }>("SELECT value FROM meta WHERE key = 'last_seq'").toArray()[0];
    this.#head = Math.max(newest?.seq ?? 0, kept?.value ?? 0);
    this.#lastReceived = newest?.received ?? 0;
  }

  /** Seq of the newest event ever stored; 0 = none yet. Never goes back, whatever retention removes. */
  get head(): number {
    return this.#head;
  }

  /** Puts the head back to where it was before a transaction that was rolled back. */
  rewind(head: number): void {
    this.#head = head;
  }

  /** What is stored under a delivery's GUID: the delivery itself, then by its id, or another hook's. One look-up. */
  known(delivery: IngestDelivery): { id: string | null; guidTaken: boolean } {
    const [first, last] = keysOf(delivery.key.subarray(0, 16));
    const rows = this.#sql
      .exec<{ dkey: ArrayBuffer; id: string }>("SELECT dkey, id FROM event WHERE dkey BETWEEN ? AND ?", first, last)
      .toArray();
    const same = rows.find(({ dkey }) => new Uint8Array(dkey).every((byte, i) => byte === delivery.key[i]));
    return { id: same?.id ?? null, guidTaken: rows.length > 0 };
  }

  /**
   * Writes a delivery that {@link known} has no id for; `guidTaken` is what it said.
   * @param now milliseconds; the stored time never goes back behind the event before it, so that time and seq agree.
   */
  insert(delivery: IngestDelivery, guidTaken: boolean, now: number): LogRow {
    const seq = this.#head + 1;
    const received = Math.max(now, this.#lastReceived);
    const id = delivery.guid !== null && !guidTaken ? delivery.guid : mintId(seq);
    const deliveryId = delivery.deliveryId === id ? null : delivery.deliveryId;
    const { size, chunks } = delivery.payload;
    this.#sql.exec(
      "INSERT INTO event (seq, dkey, id, delivery, type, repo, received, size, parts, summary, payload) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      seq,
      delivery.key,
      id,
      deliveryId,
      delivery.type,
      delivery.repository,
      received,
      size,
      chunks.length,
      delivery.summary,
      chunks[0] ?? new Uint8Array(),
    );
    for (let part = 1; part < chunks.length; part++) {
      this.#sql.exec("INSERT INTO chunk (seq, part, data) VALUES (?, ?, ?)", seq, part, chunks[part]);
    }
    this.#head = seq;
    this.#lastReceived = received;
    return {
      seq,
      id,
      delivery: deliveryId,
      type: delivery.type,
      repo: delivery.repository,
      received,
      size,
      summary: delivery.summary,
    };
  }

  /** The event with this id among the repositories of `visible` (see access.ts); null otherwise. */
  byId(id: string, visible: { clause: string; params: readonly string[] }): LogRow | null {
    const guid = uuidBytes(id);
    if (!guid) return null;
    const [first, last] = keysOf(guid);
    const byDelivery = this.#sql
      .exec<LogRow>(
        `SELECT ${ROW} FROM event WHERE dkey BETWEEN ? AND ? AND id = ? AND ${visible.clause}`,
        first,
        last,
        id,
        ...visible.params,
      )
      .toArray()[0];
    if (byDelivery) return byDelivery;
    const seq = mintedSeq(id);
    if (seq === null) return null;
    return (
      this.#sql
        .exec<LogRow>(
          `SELECT ${ROW} FROM event WHERE seq = ? AND id = ? AND ${visible.clause}`,
          seq,
          id,
          ...visible.params,
        )
        .toArray()[0] ?? null
    );
  }

  /** The compressed payload of an event that exists. */
  payload(seq: number): PackedPayload {
    const { size, parts, payload } = this.#sql
      .exec<{ size: number; parts: number; payload: ArrayBuffer }>(
        "SELECT size, parts, payload FROM event WHERE seq = ?",
        seq,
      )
      .one();
    const chunks = [new Uint8Array(payload)];
    if (parts > 1) {
      const rest = this.#sql.exec<{ data: ArrayBuffer }>("SELECT data FROM chunk WHERE seq = ? ORDER BY part", seq);
      for (const { data } of rest) chunks.push(new Uint8Array(data));
    }
    return { size, chunks };
  }

  /**
   * Seq of the last event received before a time, or at it where `inclusive`; 0 if there is none. Time never decreases
   * with seq, so a binary search over the primary key does, about twenty rows at a million events.
   */
  seqAt(receivedAt: number, inclusive: boolean): number {
    let below = 0;
    let above = this.#head + 1;
    while (above - below > 1) {
      const middle = Math.floor((below + above) / 2);
      const row = this.#sql
        .exec<{ seq: number; received: number }>(
          "SELECT seq, received FROM event WHERE seq >= ? ORDER BY seq LIMIT 1",
          middle,
        )
        .toArray()[0];
      const before =
        row !== undefined && row.seq < above && (inclusive ? row.received <= receivedAt : row.received < receivedAt);
      if (before) below = row.seq;
      else above = middle;
    }
    return below;
  }

  /** The oldest event still there. */
  oldest(): { seq: number; received: number } | null {
    return (
      this.#sql
        .exec<{ seq: number; received: number }>("SELECT seq, received FROM event ORDER BY seq LIMIT 1")
        .toArray()[0] ?? null
    );
  }

  /** Removes one event with all that belongs to it; counters are the caller's. */
  remove(seq: number): void {
    this.#sql.exec("DELETE FROM chunk WHERE seq = ?", seq);
    this.#sql.exec("DELETE FROM search WHERE rowid = ?", seq);
    this.#sql.exec("DELETE FROM event WHERE seq = ?", seq);
  }

  /** Keeps the head over a restart although its event may be gone. Call it in the transaction that removes events. */
  keepHead(): void {
    this.#sql.exec(
      "INSERT INTO meta (key, value) VALUES ('last_seq', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
      this.#head,
    );
  }
}

/** The lowest and the highest key that a delivery GUID can lead. */
function keysOf(guid: Uint8Array): [Uint8Array, Uint8Array] {
  const first = new Uint8Array(KEY_LENGTH);
  const last = new Uint8Array(KEY_LENGTH).fill(0xff);
  first.set(guid);
  last.set(guid);
  return [first, last];
}
