/**
 * Writes a file's units so that what did not change costs nothing: a unit whose content the file had already keeps its
 * row, its chunks, its search entries, vectors and summaries; only its place is updated.
 *
 * **Guarantee**: call it inside a transaction, and readers see the old units or the new ones, never a mixture.
 */

import type { Digest, SqlDriver, SqlValue } from "../ports.ts";
import { type FileUnits, ownedText, type Unit } from "../units/unit.ts";
import { writeChunkTerms } from "./chunk-terms.ts";

interface StoredUnit {
  readonly id: number;
  readonly hash: string;
}

/** Identity of a unit: everything that search or a summary sees, and nothing about where it stands. */
export function unitHash(unit: Unit, digest: Digest): string {
  return digest([unit.kind, unit.symbol, unit.signature, unit.doc, unit.defines.join(" "), ownedText(unit)].join("\0"));
}

/** Replaces a file's units by `next`; tells whether any chunk was removed. */
export function writeUnits(sql: SqlDriver, fileId: number, path: string, next: FileUnits, digest: Digest): boolean {
  const previous = new Map<string, StoredUnit[]>();
  for (const row of sql.all<StoredUnit>("SELECT id, hash FROM units WHERE file_id = ? ORDER BY ordinal", fileId)) {
    const twins = previous.get(row.hash);
    if (twins) twins.push(row);
    else previous.set(row.hash, [row]);
  }
  next.units.forEach((unit, ordinal) => {
    const hash = unitHash(unit, digest);
    const kept = previous.get(hash)?.shift();
    if (kept) moveUnit(sql, kept.id, unit, ordinal);
    else insertUnit(sql, fileId, path, unit, ordinal, hash, digest);
  });
  const gone = [...previous.values()].flat();
  for (const unit of gone) deleteUnit(sql, unit.id);
  return gone.length > 0;
}

/** Removes all units of a file. */
export function deleteUnits(sql: SqlDriver, fileId: number): void {
  for (const unit of sql.all<StoredUnit>("SELECT id, hash FROM units WHERE file_id = ?", fileId))
    deleteUnit(sql, unit.id);
}

function moveUnit(sql: SqlDriver, id: number, unit: Unit, ordinal: number): void {
  sql.all(
    "UPDATE units SET ordinal = ?, parent = ?, start_line = ?, end_line = ? WHERE id = ?",
    ordinal,
    unit.parent,
    unit.startLine,
    unit.endLine,
    id,
  );
  unit.windows.forEach((window, index) => {
    sql.all(
      "UPDATE chunks SET start_line = ?, end_line = ? WHERE unit_id = ? AND ordinal = ?",
      window.startLine,
      window.endLine,
      id,
      index,
    );
  });
}

function insertUnit(
  sql: SqlDriver,
  fileId: number,
  path: string,
  unit: Unit,
  ordinal: number,
  hash: string,
  digest: Digest,
): void {
  const id = insertedId(
    sql,
    `INSERT INTO units (file_id, ordinal, parent, hash, kind, form, name, symbol, signature, doc, defines,
       start_line, end_line)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    fileId,
    ordinal,
    unit.parent,
    hash,
    unit.kind,
    unit.form,
    unit.name,
    unit.symbol,
    unit.signature,
    unit.doc,
    unit.defines.join(" "),
    unit.startLine,
    unit.endLine,
  );
  const names = `${unit.symbol} ${unit.defines.join(" ")}`.trim();
  if (names.length > 0) sql.all("INSERT INTO name_trigrams (rowid, name, path) VALUES (?, ?, ?)", id, names, path);
  unit.windows.forEach((window, index) => {
    const chunkId = insertedId(
      sql,
      `INSERT INTO chunks (unit_id, file_id, ordinal, start_line, end_line, hash, text)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
      id,
      fileId,
      index,
      window.startLine,
      window.endLine,
      digest(`${hash}\0${index}`),
      window.text,
    );
    writeChunkTerms(sql, chunkId);
  });
  for (const use of unit.references) {
    sql.all(
      "INSERT INTO name_uses (unit_id, kind, name, line_offset) VALUES (?, ?, ?, ?)",
      id,
      use.kind,
      use.name,
      use.line - unit.startLine,
    );
  }
}

function deleteUnit(sql: SqlDriver, id: number): void {
  sql.all("DELETE FROM chunk_fts WHERE rowid IN (SELECT id FROM chunks WHERE unit_id = ?)", id);
  sql.all("DELETE FROM name_trigrams WHERE rowid = ?", id);
  sql.all("DELETE FROM name_uses WHERE unit_id = ?", id);
  sql.all("DELETE FROM chunks WHERE unit_id = ?", id);
  sql.all("DELETE FROM units WHERE id = ?", id);
}

/** Inserts one row and gives its id. In two statements: SQLite's RETURNING costs ten times as much, for a table of its own. */
function insertedId(sql: SqlDriver, insert: string, ...params: SqlValue[]): number {
  sql.all(insert, ...params);
  return (sql.all<{ id: number }>("SELECT last_insert_rowid() AS id")[0] as { id: number }).id;
}
