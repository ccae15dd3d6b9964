/**
 * Append-only schema migrations of a Durable Object's SQLite database.
 *
 * A migration that has been released is never edited, renamed or removed: a change is a new one at the end of the
 * list. What has run is recorded in the database itself, in the transaction that ran it, so that an object is either
 * at the old schema or at the new one, whenever it is stopped.
 */

/** One step of a schema. */
export interface Migration {
  /** 1, 2, 3 … in the order of the list. */
  id: number;
  /** Short and stable; recorded beside the id, so that two lists that went apart are noticed. */
  name: string;
  /** SQL, any number of statements. */
  statements: string;
}

/**
 * Brings the database to the end of `migrations`. Call it in the constructor, before anything reads.
 *
 * @throws where the list is not numbered 1, 2, 3 …, or where the database has run a step that the list doesn't have
 *   (an older version of the code met a newer schema): to go on would write rows that nobody can account for.
 */
export function migrate(storage: DurableObjectStorage, migrations: readonly Migration[]): void {
  for (const [index, migration] of migrations.entries()) {
    if (migration.id !== index + 1) throw new Error(`migration "${migration.name}" must have id ${index + 1}`);
  }
  const { sql } = storage;
  sql.exec("CREATE TABLE IF NOT EXISTS migration (id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT");
  const done = sql.exec<{ id: number; name: string }>("SELECT id, name FROM migration ORDER BY id").toArray();
  for (const [index, { id, name }] of done.entries()) {
    const known = migrations[index];
    if (known?.id !== id || known.name !== name) {
      throw new Error(`the database has run migration ${id} "${name}", which this version of the code doesn't know`);
    }
  }
  if (done.length === migrations.length) return;
  storage.transactionSync(() => {
    for (const { id, name, statements } of migrations.slice(done.length)) {
      sql.exec(statements);
      sql.exec("INSERT INTO migration (id, name) VALUES (?, ?)", id, name);
    }
  });
}
