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
