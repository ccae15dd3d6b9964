import type { SqlDriver } from "../ports.ts";
import { MIGRATIONS } from "./migrations.ts";

/** The database was written by a newer release; nothing was changed in it. */
export class NewerDatabaseError extends Error {
  constructor(found: number) {
    super(`The index was written by a newer release (schema ${found}); update code-rag, or index into another --db.`);
  }
}

/**
 * Brings the schema up to date, each step in a transaction. On a database that is up to date it only reads, so that
 * any number of processes may open one.
 */
export function migrate(sql: SqlDriver): void {
  const done = appliedMigrations(sql);
  const newest = MIGRATIONS.length;
  if (done > newest) throw new NewerDatabaseError(done);
  for (const migration of MIGRATIONS.slice(done)) {
    sql.transaction(() => {
      // Another process may have been faster between the look above and this lock.
      if (appliedMigrations(sql) >= migration.id) return;
      sql.all("CREATE TABLE IF NOT EXISTS migrations (id INTEGER PRIMARY KEY)");
      for (const statement of migration.statements) sql.all(statement);
      sql.all("INSERT INTO migrations (id) VALUES (?)", migration.id);
    });
  }
}

function appliedMigrations(sql: SqlDriver): number {
  const table = sql.all("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'migrations'");
  if (table.length === 0) return 0;
  return sql.all<{ id: number | null }>("SELECT max(id) AS id FROM migrations")[0]?.id ?? 0;
}
