/**
 * The database's shape, as an append-only list: a released entry is never edited, a change is a new entry.
 *
 * - `files` holds skipped files too (`skipped` says why), so that a warm start does not read them again.
 * - `units` are declarations; `chunks` are the windows of text that they own, and what is searched.
 * - `chunk_fts`, `name_trigrams` and `use_terms` are contentless: their text is in `chunks` and `units` already,
 *   and what is indexed is our own token stream (see `tokenize/`). Their rowids are `chunks.id` and `units.id`.
 * - `unit_uses` holds what a unit calls, imports, inherits and names as types (`uses.ts`).
 * - `removed_hashes` are contents that stood in a chunk that is gone: their vectors go at the end of a run, if they stand
 *   nowhere else by then.
 * - `vectors` and `summaries` belong to content, not to places: moving or copying code costs nothing. Their ids only
 *   grow, so that a reader can load what is new.
 */

export interface Migration {
  readonly id: number;
  readonly statements: readonly string[];
}

export const MIGRATIONS: readonly Migration[] = [
  {
    id: 1,
    statements: [
      "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
      `CREATE TABLE roots (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        name TEXT NOT NULL UNIQUE,
        location TEXT NOT NULL UNIQUE,
        url TEXT, ref TEXT, revision TEXT,
        indexed_at INTEGER,
        added INTEGER NOT NULL DEFAULT 0, updated INTEGER NOT NULL DEFAULT 0,
        removed INTEGER NOT NULL DEFAULT 0, unchanged INTEGER NOT NULL DEFAULT 0
      )`,
      `CREATE TABLE files (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        root_id INTEGER NOT NULL REFERENCES roots(id),
        path TEXT NOT NULL,
        size INTEGER NOT NULL, modified_ms INTEGER NOT NULL, checked_ms INTEGER NOT NULL,
        hash TEXT, extractor TEXT, language TEXT, quality TEXT, role TEXT, lines INTEGER,
        skipped TEXT,
        UNIQUE (root_id, path)
      )`,
      `CREATE TABLE units (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        file_id INTEGER NOT NULL REFERENCES files(id),
        ordinal INTEGER NOT NULL, parent INTEGER NOT NULL,
        hash TEXT NOT NULL,
        kind TEXT NOT NULL, form TEXT NOT NULL,
        name TEXT NOT NULL, symbol TEXT NOT NULL, signature TEXT NOT NULL, doc TEXT NOT NULL,
        defines TEXT NOT NULL,
        start_line INTEGER NOT NULL, end_line INTEGER NOT NULL
      )`,
      "CREATE INDEX units_by_file ON units (file_id, ordinal)",
      "CREATE INDEX units_by_name ON units (name COLLATE NOCASE)",
      `CREATE TABLE chunks (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        unit_id INTEGER NOT NULL REFERENCES units(id),
        file_id INTEGER NOT NULL REFERENCES files(id),
        ordinal INTEGER NOT NULL,
        start_line INTEGER NOT NULL, end_line INTEGER NOT NULL,
        hash TEXT NOT NULL, text TEXT NOT NULL
      )`,
      "CREATE INDEX chunks_by_unit ON chunks (unit_id)",
      "CREATE INDEX chunks_by_file ON chunks (file_id)",
      "CREATE INDEX chunks_by_hash ON chunks (hash)",
      `CREATE TABLE name_uses (
        unit_id INTEGER NOT NULL REFERENCES units(id),
        kind TEXT NOT NULL, name TEXT NOT NULL, line_offset INTEGER NOT NULL
      )`,
      "CREATE INDEX name_uses_by_name ON name_uses (name COLLATE NOCASE)",
      "CREATE INDEX name_uses_by_unit ON name_uses (unit_id)",
      `CREATE VIRTUAL TABLE chunk_fts USING fts5(
        names, path, doc, body, content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 0"
      )`,
      "CREATE VIRTUAL TABLE chunk_terms USING fts5vocab(chunk_fts, 'row')",
      `CREATE VIRTUAL TABLE file_fts USING fts5(
        path, names, body, content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 0"
      )`,
      "CREATE VIRTUAL TABLE file_terms USING fts5vocab(file_fts, 'row')",
      `CREATE VIRTUAL TABLE name_trigrams USING fts5(
        name, path, content='', contentless_delete=1, tokenize="trigram"
      )`,
      "CREATE TABLE vectors (id INTEGER PRIMARY KEY AUTOINCREMENT, hash TEXT NOT NULL UNIQUE, vector BLOB NOT NULL)",
      `CREATE TABLE summaries (
        hash TEXT NOT NULL, model TEXT NOT NULL, prompt_version INTEGER NOT NULL, text TEXT NOT NULL,
        PRIMARY KEY (hash, model, prompt_version)
      ) WITHOUT ROWID`,
    ],
  },
  {
    // Uses as a list for each unit, and trigrams of names alone: less to write. What is indexed is made anew by the next
    // run; vectors and summaries, which cost most, stay.
    id: 2,
    statements: [
      "DROP TABLE name_uses",
      "CREATE TABLE unit_uses (unit_id INTEGER PRIMARY KEY REFERENCES units(id), uses TEXT NOT NULL)",
      `CREATE VIRTUAL TABLE use_terms USING fts5(
        names, content='', contentless_delete=1, detail=none, tokenize="ascii"
      )`,
      "CREATE VIRTUAL TABLE use_vocabulary USING fts5vocab(use_terms, 'row')",
      "CREATE TABLE removed_hashes (hash TEXT PRIMARY KEY) WITHOUT ROWID",
      "DROP TABLE name_trigrams",
      "CREATE VIRTUAL TABLE name_trigrams USING fts5(name, content='', contentless_delete=1, tokenize=\"trigram\")",
      "INSERT INTO chunk_fts (chunk_fts) VALUES ('delete-all')",
      "INSERT INTO file_fts (file_fts) VALUES ('delete-all')",
      "INSERT OR IGNORE INTO removed_hashes (hash) SELECT hash FROM chunks",
      "DELETE FROM chunks",
      "DELETE FROM units",
      "DELETE FROM files",
      "UPDATE roots SET indexed_at = NULL",
    ],
  },
  {
    // The word index of whole files: it took a sixth of a query's time and found nothing that chunks did not.
    id: 3,
    statements: ["DROP TABLE file_terms", "DROP TABLE file_fts"],
  },
];
