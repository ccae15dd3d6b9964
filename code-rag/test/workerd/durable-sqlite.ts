import type { SqlDriver, SqlValue } from "../../src/engine/ports.ts";

/** A Durable Object's SQLite behind the engine's driver port. */
export function durableSqlite(storage: DurableObjectStorage): SqlDriver {
  return {
    all: <Row extends object>(sql: string, ...params: SqlValue[]) =>
      storage.sql.exec(sql, ...(params as SqlStorageValue[])).toArray() as Row[],
    transaction: (body) => storage.transactionSync(body),
  };
}
