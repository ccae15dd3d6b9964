import { chmodSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { SqlDriver, SqlValue } from "../../engine/ports.ts";

/** How long a statement waits for another process's commit. Commits are small; only a stuck disk takes this long. */
const BUSY_TIMEOUT_MS = 10_000;

/** `node:sqlite` (built into Node 22.13 and later) behind the engine's driver port. */
export class NodeSqlite implements SqlDriver {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  private constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Opens a database file, made if it is absent; several processes may have it open. */
  static open(path: string): NodeSqlite {
    mkdirSync(dirname(path), { recursive: true });
    const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
    // Asked before it is set: setting the mode takes a lock, and opening an index must not wait for its writer.
    const mode = database.prepare("PRAGMA journal_mode").get() as { journal_mode: string };
    if (mode.journal_mode !== "wal") {
      database.exec("PRAGMA journal_mode = WAL");
      chmodSync(path, 0o600);
    }
    // A power cut may cost the last commits, never the database; a killed process costs nothing (sqlite.org/wal.html).
    database.exec("PRAGMA synchronous = NORMAL; PRAGMA cache_size = -32768; PRAGMA temp_store = MEMORY");
    return new NodeSqlite(database);
  }

  /** A database that lives as long as the object. */
  static inMemory(): NodeSqlite {
    return new NodeSqlite(new DatabaseSync(":memory:"));
  }

  all<Row extends object>(sql: string, ...params: SqlValue[]): Row[] {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement.all(...(params as (string | number | null | Uint8Array)[])) as Row[];
  }

  transaction<T>(body: () => T): T {
    this.#database.exec("BEGIN IMMEDIATE");
    try {
      const result = body();
      this.#database.exec("COMMIT");
      return result;
    } catch (error) {
      this.#database.exec("ROLLBACK");
      throw error;
    }
  }

  /**
   * Prepares for much writing: the log is copied into the database after 64 MB in place of 4, since most pages of an
   * index that grows are written again and again.
   */
  prepareForBulk(): void {
    this.#database.exec("PRAGMA wal_autocheckpoint = 16384");
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }
}
