import { DatabaseSync } from "node:sqlite";

/**
 * Tells the processes of one index who may write: whoever holds the exclusive lock of a small file beside it. The
 * operating system lets go of it when its holder dies, however it dies, so it is never stale.
 */
export class WriterLock {
  readonly #database: DatabaseSync;

  private constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** The lock, or undefined while another process (or another index run of this one) has it. */
  static tryAcquire(databasePath: string): WriterLock | undefined {
    const database = new DatabaseSync(`${databasePath}-writer`, { timeout: 0 });
    try {
      // Nothing is ever written to it: the file stays empty, and has no journal.
      database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
      return new WriterLock(database);
    } catch (error) {
      database.close();
      if (/locked|busy/i.test((error as Error).message)) return undefined;
      throw error;
    }
  }

  release(): void {
    this.#database.close();
  }
}
