/** The registry's schema. Append-only: see sql/migrate.ts. */
import type { Migration } from "../sql/migrate.ts";

export const MIGRATIONS: readonly Migration[] = [
  {
    id: 1,
    name: "accounts, installations, quota",
    statements: `
      CREATE TABLE account (
        id INTEGER PRIMARY KEY,             -- GitHub's numeric id: names change and are given to others, ids are not
        login TEXT NOT NULL,
        type TEXT NOT NULL CHECK (type IN ('User', 'Organization'))
      ) STRICT;

      CREATE TABLE installation (
        id INTEGER PRIMARY KEY,
        account_id INTEGER NOT NULL REFERENCES account(id),
        suspended_at INTEGER,               -- ms; null = not suspended
        deleted_at INTEGER,                 -- ms; null = installed. Final: a new installation has a new id
        changed_at INTEGER                  -- ms, GitHub's clock: the newest change taken over; null = none yet
      ) STRICT;
      CREATE INDEX installation_account ON installation(account_id) WHERE deleted_at IS NULL;

      CREATE TABLE quota (
        window_start INTEGER NOT NULL,      -- ms
        account_id INTEGER NOT NULL,
        used INTEGER NOT NULL,
        PRIMARY KEY (window_start, account_id)
      ) STRICT, WITHOUT ROWID;
    `,
  },
];
