/** The word index over chunks. */

import type { SqlDriver } from "../ports.ts";
import type { Scope } from "./filter.ts";
import { matchExpression, type TermStatistics } from "./match-expression.ts";

/** A candidate chunk; lists are ordered best first, and only their order is used. */
export interface Hit {
  readonly chunkId: number;
  readonly score: number;
}

/** Rows that the candidate-choosing terms may match together. */
const CANDIDATE_ROWS = 4_000;
/** Chunks of one file that stand for it. */
const CHUNKS_PER_FILE = 25;
/** Terms by which they are looked up. */
const RAREST_TERMS = 3;

/** Best chunks by weighted bm25. */
export function lexicalHits(
  sql: SqlDriver,
  statistics: readonly TermStatistics[],
  scope: Scope,
  columns: readonly [number, number, number, number],
  limit: number,
): Hit[] {
  const match = matchExpression(statistics, CANDIDATE_ROWS);
  if (match === undefined) return [];
  const score = `bm25(chunk_fts, ${columns.join(", ")})`;
  if (scope.fileIds === undefined && scope.kind === undefined) {
    return sql.all<Hit>(
      `SELECT rowid AS chunkId, ${score} AS score FROM chunk_fts WHERE chunk_fts MATCH ? ORDER BY score LIMIT ?`,
      match,
      limit,
    );
  }
  return sql.all<Hit>(
    `SELECT chunk_fts.rowid AS chunkId, ${score} AS score
     FROM chunk_fts JOIN chunks c ON c.id = chunk_fts.rowid JOIN units u ON u.id = c.unit_id
     WHERE chunk_fts MATCH ? AND (?2 IS NULL OR c.file_id IN (SELECT value FROM json_each(?2)))
       AND (?3 IS NULL OR u.kind = ?3)
     ORDER BY score LIMIT ?4`,
    match,
    scope.fileIds === undefined ? null : JSON.stringify(scope.fileIds),
    scope.kind ?? null,
    limit,
  );
}

/**
 * Chunks of some files that hold a rare word of the query, in no order of merit. Without bm25, whose price is paid again for every
 * statement that asks for it.
 */
export function chunksInFiles(
  sql: SqlDriver,
  statistics: readonly TermStatistics[],
  fileIds: readonly number[],
  kind: string | undefined,
): number[] {
  const rarest = [...statistics].sort((a, b) => a.rows - b.rows).slice(0, RAREST_TERMS);
  if (rarest.length === 0) return [];
  const match = rarest.map(({ term }) => `"${term}"`).join(" OR ");
  return fileIds.flatMap((fileId) => {
    const range = sql.all<{ first: number | null; last: number | null }>(
      "SELECT min(id) AS first, max(id) AS last FROM chunks WHERE file_id = ?",
      fileId,
    )[0];
    const rows = sql.all<{ id: number }>(
      `SELECT c.id FROM chunk_fts JOIN chunks c ON c.id = chunk_fts.rowid JOIN units u ON u.id = c.unit_id
       WHERE chunk_fts MATCH ?1 AND chunk_fts.rowid BETWEEN ?2 AND ?3 AND c.file_id = ?4 AND (?5 IS NULL OR u.kind = ?5)
       LIMIT ${CHUNKS_PER_FILE}`,
      match,
      range?.first ?? 0,
      range?.last ?? 0,
      fileId,
      kind ?? null,
    );
    return rows.map((row) => row.id);
  });
}
