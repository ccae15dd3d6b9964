import type { SqlDriver } from "../ports.ts";

/** One directory or cloned repository in the index. */
export interface Root {
  readonly id: number;
  /** Unique in the index: the first part of every path when there are several roots. */
  readonly name: string;
  /** What identifies it on the host: a real path. */
  readonly location: string;
  /** Where it was cloned from, without credentials; null for a local directory. */
  readonly url: string | null;
  readonly ref: string | null;
  /** Commit that was indexed, where it is known. */
  readonly revision: string | null;
  /** When the last complete sync ended, in ms since the epoch; null before the first one. */
  readonly indexed_at: number | null;
  readonly added: number;
  readonly updated: number;
  readonly removed: number;
  readonly unchanged: number;
}

export interface RootIdentity {
  readonly location: string;
  /** Wanted name; a number is appended where another root has it already. */
  readonly name: string;
  readonly url?: string;
  readonly ref?: string;
}

/** What one sync did, in files. */
export interface SyncCounts {
  added: number;
  updated: number;
  removed: number;
  unchanged: number;
}

export function listRoots(sql: SqlDriver): Root[] {
  return sql.all<Root>("SELECT * FROM roots ORDER BY id");
}

/**
 * Says which roots are not indexed to their end: their first run was interrupted or is under way, or an update emptied the
 * index (`migrations.ts`). Undefined where there is none.
 */
export function unfinishedNotice(sql: SqlDriver): string | undefined {
  const names = listRoots(sql).flatMap((root) => (root.indexed_at === null ? [root.name] : []));
  return names.length === 0 ? undefined : `not indexed to the end yet: ${names.join(", ")}`;
}

/** The root at a location, made if it is new. Two roots with one base name get different names. */
export function ensureRoot(sql: SqlDriver, identity: RootIdentity): Root {
  return sql.transaction(() => {
    const find = () => sql.all<Root>("SELECT * FROM roots WHERE location = ?", identity.location)[0];
    const known = find();
    if (known) {
      if (known.url === (identity.url ?? null) && known.ref === (identity.ref ?? null)) return known;
      sql.all("UPDATE roots SET url = ?, ref = ? WHERE id = ?", identity.url ?? null, identity.ref ?? null, known.id);
      return find() as Root;
    }
    const taken = new Set(listRoots(sql).map((root) => root.name));
    let name = identity.name;
    for (let n = 2; taken.has(name); n++) name = `${identity.name}-${n}`;
    sql.all(
      "INSERT INTO roots (name, location, url, ref) VALUES (?, ?, ?, ?)",
      name,
      identity.location,
      identity.url ?? null,
      identity.ref ?? null,
    );
    return find() as Root;
  });
}

/** Records that a sync ran to its end. */
export function finishSync(
  sql: SqlDriver,
  rootId: number,
  counts: SyncCounts,
  revision: string | null,
  now: number,
): void {
  sql.all(
    `UPDATE roots SET indexed_at = ?, revision = ?, added = ?, updated = ?, removed = ?, unchanged = ? WHERE id = ?`,
    now,
    revision,
    counts.added,
    counts.updated,
    counts.removed,
    counts.unchanged,
    rootId,
  );
}
