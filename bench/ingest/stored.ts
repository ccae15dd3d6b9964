/** After a run: is every delivery that was accepted on disk, once, and whole? */
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { isDeepStrictEqual } from "node:util";
import { unpack } from "../../worker/src/payload/codec.ts";
import type { Body } from "./deliveries.ts";
import type { ServerName } from "./servers.ts";

interface Stored {
  id: string;
  payload: Uint8Array;
}

/**
 * Throws where a server's files hold less, more or something else than it accepted. Run it once the server is stopped.
 *
 * @param dealt what was sent, by GUID
 */
export function checkStored(server: ServerName, files: readonly string[], dealt: ReadonlyMap<string, Body>): number {
  const missing = new Map(dealt);
  for (const file of files) {
    const db = new DatabaseSync(file);
    try {
      for (const { id, payload } of server === "worker" ? storedByWorker(db) : storedByReference(db)) {
        const sent = missing.get(id);
        if (sent === undefined) throw new Error(`${server} stored ${id} twice, or it was never sent`);
        if (!sent.bytes.equals(payload)) throw new Error(`${server} changed the payload of ${id}`);
        missing.delete(id);
      }
      if (server === "worker") checkCounts(db, file);
    } finally {
      db.close();
    }
  }
  if (missing.size > 0) throw new Error(`${server} accepted ${missing.size} deliveries that it has not stored`);
  return dealt.size;
}

/** The events of a WebhookStore; see docs/storage-schema.md. */
function* storedByWorker(db: DatabaseSync): Generator<Stored> {
  type Event = { id: string; seq: number; size: number; payload: Uint8Array };
  const furtherChunks = query<{ data: Uint8Array }>(db, "SELECT data FROM chunk WHERE seq = ? ORDER BY part");
  for (const { id, seq, size, payload } of query<Event>(db, "SELECT id, seq, size, payload FROM event")()) {
    const chunks = [payload, ...furtherChunks(seq).map(({ data }) => data)];
    yield { id, payload: unpack({ size, chunks }) };
  }
}

function* storedByReference(db: DatabaseSync): Generator<Stored> {
  for (const { id, payload } of query<{ id: string; payload: string }>(
    db,
    "SELECT delivery AS id, payload FROM event",
  )()) {
    yield { id, payload: Buffer.from(payload) };
  }
}

/** The store's counters say what a recount says, and the full text has every event. */
function checkCounts(db: DatabaseSync, file: string): void {
  const recount = query(db, "SELECT repo, type, count(*) AS n, max(seq) AS last_seq FROM event GROUP BY repo, type")();
  const kept = query(db, "SELECT repo, type, n, last_seq FROM tally ORDER BY repo, type")();
  if (!isDeepStrictEqual(recount, kept)) throw new Error(`${file}: the counters differ from a recount`);
  const unsearchable = query(db, "SELECT seq FROM event WHERE seq NOT IN (SELECT id FROM search_docsize)")();
  if (unsearchable.length > 0) throw new Error(`${file}: ${unsearchable.length} events are not in the full text`);
}

function query<R>(db: DatabaseSync, sql: string): (...bindings: SQLInputValue[]) => R[] {
  const statement = db.prepare(sql);
  return (...bindings) => statement.all(...bindings) as R[];
}
