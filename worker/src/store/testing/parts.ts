/** The store's modules over a database, without the object around them: what the tests of cost and limits drive. */
import type { IngestDelivery } from "../../ports.ts";
import { AccessSets } from "../access.ts";
import { Counters } from "../counters.ts";
import { EventLog } from "../event-log.ts";
import { Feed } from "../feed.ts";
import { Marker } from "../mark.ts";
import { PendingCache } from "../pending.ts";
import { ProcessedRuns } from "../processed.ts";
import { EventReader } from "../reader.ts";
import { Retention, type RetentionLimits } from "../retention.ts";
import { SearchIndex } from "../search.ts";
import { Viewers } from "../viewers.ts";

const DAY = 24 * 3600_000;

export function partsOn(storage: DurableObjectStorage, limits: Partial<RetentionLimits> = {}) {
  const { sql } = storage;
  const log = new EventLog(sql);
  const counters = new Counters(sql);
  const runs = new ProcessedRuns(sql);
  const access = new AccessSets(sql);
  const pending = new PendingCache(counters, access);
  const reader = new EventReader(sql, runs);
  const search = new SearchIndex(sql, runs);
  const viewers = new Viewers(sql);
  const shared = { storage, log, counters, runs, pending };
  return {
    ...shared,
    access,
    reader,
    search,
    viewers,
    feed: new Feed(log, reader, pending, access),
    marker: new Marker({ ...shared, reader }),
    retention: new Retention({
      ...shared,
      name: "store-1",
      viewers,
      access,
      limits: { purgeAfterMs: 3 * DAY, unprocessedPurgeAfterMs: 90 * DAY, maxStoreBytes: 5e9, ...limits },
    }),
    /** What one delivery writes, as IngestQueue does. */
    write(delivery: IngestDelivery, now: number): boolean {
      const known = log.known(delivery);
      if (known.id !== null) return false;
      const event = log.insert(delivery, known.guidTaken, now);
      counters.added(event, delivery.repositoryName);
      search.add(event.seq, delivery.text);
      pending.added(event, delivery.repositoryName);
      return true;
    },
  };
}

/** A storage whose statements are counted: what Cloudflare bills. */
export function metered(storage: DurableObjectStorage) {
  let cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = [];
  const sql = new Proxy(storage.sql, {
    get(target, property) {
      if (property !== "exec") return Reflect.get(target, property, target);
      return (query: string, ...bindings: unknown[]) => {
        const cursor = target.exec(query, ...bindings);
        cursors.push(cursor);
        return cursor;
      };
    },
  });
  const counted = new Proxy(storage, {
    get(target, property) {
      if (property === "sql") return sql;
      const value = Reflect.get(target, property, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  return {
    storage: counted,
    /** Rows read and written by `work`. */
    cost<T>(work: () => T): { result: T; read: number; written: number } {
      cursors = [];
      const result = work();
      return {
        result,
        read: cursors.reduce((sum, { rowsRead }) => sum + rowsRead, 0),
        written: cursors.reduce((sum, { rowsWritten }) => sum + rowsWritten, 0),
      };
    },
  };
}
