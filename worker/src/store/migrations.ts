/** The store's schema. Append-only: a migration that has landed never changes. docs/storage-schema.md explains it. */
import type { Migration } from "../sql/migrate.ts";

export const migrations: readonly Migration[] = [
  {
    id: 1,
    name: "events, counters, processed intervals, access versions, full text",
    statements: `
      -- payload stands last: a walk over the events reads no payload pages.
      CREATE TABLE event (
        seq INTEGER PRIMARY KEY,
        dkey BLOB NOT NULL UNIQUE,
        id TEXT NOT NULL,
        delivery TEXT,
        type TEXT NOT NULL,
        repo INTEGER NOT NULL,
        received INTEGER NOT NULL,
        size INTEGER NOT NULL,
        parts INTEGER NOT NULL,
        summary TEXT NOT NULL,
        payload BLOB NOT NULL
      ) STRICT;
      CREATE INDEX event_repo ON event (repo, seq);

      CREATE TABLE chunk (
        seq INTEGER NOT NULL,
        part INTEGER NOT NULL,
        data BLOB NOT NULL,
        PRIMARY KEY (seq, part)
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE tally (
        repo INTEGER NOT NULL,
        type TEXT NOT NULL,
        n INTEGER NOT NULL,
        last_seq INTEGER NOT NULL,
        name TEXT,
        PRIMARY KEY (repo, type)
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE run (
        viewer INTEGER NOT NULL,
        repo INTEGER NOT NULL,
        hi INTEGER NOT NULL,
        lo INTEGER NOT NULL,
        PRIMARY KEY (viewer, repo, hi)
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE acktally (
        viewer INTEGER NOT NULL,
        repo INTEGER NOT NULL,
        type TEXT NOT NULL,
        n INTEGER NOT NULL,
        PRIMARY KEY (viewer, repo, type)
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE viewer (
        id INTEGER PRIMARY KEY,
        version TEXT NOT NULL,
        seen INTEGER NOT NULL
      ) STRICT;

      CREATE TABLE access (
        version TEXT PRIMARY KEY,
        repositories TEXT NOT NULL,
        used INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE dropped (
        day INTEGER NOT NULL,
        repo INTEGER NOT NULL,
        n INTEGER NOT NULL,
        PRIMARY KEY (day, repo)
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE meta (
        key TEXT PRIMARY KEY,
        value INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;

      -- Contentless: the text stands in the payload already.
      CREATE VIRTUAL TABLE search USING fts5 (
        title, body, repository, sender, branch,
        content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2'
      );
    `,
  },
];
