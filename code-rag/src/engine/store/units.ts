/**
 * Writes a file's units so that what did not change costs nothing: a unit whose content the file had already keeps its
 * row, its chunks, its search entries, vectors and summaries; only its place is updated.
 *
 * **Guarantee**: call it inside a transaction, and readers see the old units or the new ones, never a mixture.
 */

import type { SqlDriver, SqlValue } from "../ports.ts";
import type { PreparedUnit } from "../prepare/prepare-file.ts";
import { terms } from "../tokenize/tokens.ts";
import { putChunkTerms } from "./chunk-terms.ts";
import { summaryOf } from "./summaries.ts";
import { deleteUses, insertUses } from "./uses.ts";

interface StoredUnit {
  readonly id: number;
  readonly hash: string;
}

/** The file whose units are written. */
export interface UnitsOwner {
  readonly id: number;
  readonly pathTerms: string;
  /** Whether the index holds summaries at all, so that it is not asked for each unit. */
  readonly hasSummaries: boolean;
}

/** Replaces a file's units by `next`; tells whether any chunk was removed. */
export function writeUnits(sql: SqlDriver, file: UnitsOwner, next: readonly PreparedUnit[]): boolean {
  const previous = new Map<string, StoredUnit[]>();
  for (const row of sql.all<StoredUnit>("SELECT id, hash FROM units WHERE file_id = ? ORDER BY ordinal", file.id)) {
    const twins = previous.get(row.hash);
    if (twins) twins.push(row);
    else previous.set(row.hash, [row]);
  }
  next.forEach((unit, ordinal) => {
    const kept = previous.get(unit.hash)?.shift();
    if (kept) moveUnit(sql, kept.id, unit, ordinal);
    else insertUnit(sql, file, unit, ordinal);
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

function moveUnit(sql: SqlDriver, id: number, unit: PreparedUnit, ordinal: number): void {
  sql.all(
    "UPDATE units SET ordinal = ?, parent = ?, start_line = ?, end_line = ? WHERE id = ?",
    ordinal,
    unit.parent,
    unit.startLine,
    unit.endLine,
    id,
  );
  unit.chunks.forEach((chunk, index) => {
    sql.all(
      "UPDATE chunks SET start_line = ?, end_line = ? WHERE unit_id = ? AND ordinal = ?",
      chunk.startLine,
      chunk.endLine,
      id,
      index,
    );
  });
}

function insertUnit(sql: SqlDriver, file: UnitsOwner, unit: PreparedUnit, ordinal: number): void {
  const id = insertedId(
    sql,
    `INSERT INTO units (file_id, ordinal, parent, hash, kind, form, name, symbol, signature, doc, defines,
       start_line, end_line)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    file.id,
    ordinal,
    unit.parent,
    unit.hash,
    unit.kind,
    unit.form,
    unit.name,
    unit.symbol,
    unit.signature,
    unit.doc,
    unit.defines,
    unit.startLine,
    unit.endLine,
  );
  const names = `${unit.symbol} ${unit.defines}`.trim();
  if (names.length > 0) sql.all("INSERT INTO name_trigrams (rowid, name) VALUES (?, ?)", id, names);
  insertChunks(sql, file, unit, id);
  insertUses(sql, id, unit);
}

function insertChunks(sql: SqlDriver, file: UnitsOwner, unit: PreparedUnit, unitId: number): void {
  const summary = file.hasSummaries ? summaryOf(sql, unit.hash) : undefined;
  const docTerms = summary === undefined ? unit.docTerms : `${unit.docTerms} ${terms(summary).join(" ")}`;
  unit.chunks.forEach((chunk, index) => {
    const id = insertedId(
      sql,
      `INSERT INTO chunks (unit_id, file_id, ordinal, start_line, end_line, hash, text)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
      unitId,
      file.id,
      index,
      chunk.startLine,
      chunk.endLine,
      chunk.hash,
      chunk.text,
    );
    putChunkTerms(sql, id, [unit.nameTerms, file.pathTerms, docTerms, chunk.terms]);
  });
}

function deleteUnit(sql: SqlDriver, id: number): void {
  sql.all("DELETE FROM chunk_fts WHERE rowid IN (SELECT id FROM chunks WHERE unit_id = ?)", id);
  sql.all("DELETE FROM name_trigrams WHERE rowid = ?", id);
  deleteUses(sql, id);
  sql.all("DELETE FROM chunks WHERE unit_id = ?", id);
  sql.all("DELETE FROM units WHERE id = ?", id);
}

/** Inserts one row and gives its id. In two statements: SQLite's RETURNING costs ten times as much, for a table of its own. */
function insertedId(sql: SqlDriver, insert: string, ...params: SqlValue[]): number {
  sql.all(insert, ...params);
  return (sql.all<{ id: number }>("SELECT last_insert_rowid() AS id")[0] as { id: number }).id;
}
