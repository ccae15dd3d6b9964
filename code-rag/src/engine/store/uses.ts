/**
 * Which names a unit uses: a list for each unit, and a word index over the lists, so that whoever uses a name is found
 * without a row and two index entries for every use (they were a quarter of all the work of the database).
 */

import type { SqlDriver } from "../ports.ts";
import type { PreparedUnit } from "../prepare/prepare-file.ts";
import type { Reference } from "../units/unit.ts";

/** Kind, name, and line counted from the unit's first. */
export type StoredUse = readonly [kind: Reference["kind"], name: string, lineOffset: number];

export function insertUses(sql: SqlDriver, unitId: number, { references, startLine }: PreparedUnit): void {
  if (references.length === 0) return;
  const uses = references.map(({ kind, name, line }): StoredUse => [kind, name, line - startLine]);
  const keys = new Set(references.flatMap(({ kind, name }) => (kind === "import" ? importKeys(name) : [useKey(name)])));
  sql.all("INSERT INTO unit_uses (unit_id, uses) VALUES (?, ?)", unitId, JSON.stringify(uses));
  sql.all("INSERT INTO use_terms (rowid, names) VALUES (?, ?)", unitId, [...keys].join(" "));
}

export function deleteUses(sql: SqlDriver, unitId: number): void {
  sql.all("DELETE FROM use_terms WHERE rowid = ?", unitId);
  sql.all("DELETE FROM unit_uses WHERE unit_id = ?", unitId);
}

export function readUses(stored: string): StoredUse[] {
  return JSON.parse(stored) as StoredUse[];
}

/** FTS5 query for the units that may use a name: candidates, since case and a few odd characters are not told apart. */
export function usersMatch(name: string): string {
  return `"${useKey(name)}"`;
}

/** In how many units each of the names is used, case not minded. */
export function useCounts(sql: SqlDriver, names: readonly string[]): (name: string) => number {
  const rows = sql.all<{ term: string; doc: number }>(
    "SELECT term, doc FROM use_vocabulary WHERE term IN (SELECT value FROM json_each(?))",
    JSON.stringify([...new Set(names.map(useKey))]),
  );
  const counts = new Map(rows.map((row) => [row.term, row.doc]));
  return (name) => counts.get(useKey(name)) ?? 0;
}

/** The name as one term of the word index: letters and digits only, in lower case. */
function useKey(name: string): string {
  const letters = name.toLowerCase();
  return /^[a-z0-9]+$/.test(letters)
    ? letters
    : letters.replace(/[\0-\x2f\x3a-\x60\x7b-\x7f]/g, (sign) => `x${sign.charCodeAt(0).toString(16)}`) || "x";
}

/** An import is found by its whole path, and by the last part of it. */
function importKeys(name: string): string[] {
  return [useKey(name), useKey(lastPart(name))];
}

/** `list` for `./collections/list`. */
export function lastPart(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
