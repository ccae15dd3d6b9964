/** The word index over whole files: which files speak of everything that a question names. */

import type { SqlDriver } from "../ports.ts";
import type { Scope } from "./filter.ts";
import { matchExpression, type TermStatistics } from "./match-expression.ts";

export interface FileHit {
  readonly fileId: number;
  readonly score: number;
}

const CANDIDATE_ROWS = 1_000;

/** Files by weighted bm25, best first. */
export function fileHits(
  sql: SqlDriver,
  statistics: readonly TermStatistics[],
  scope: Scope,
  columns: readonly [number, number, number],
  limit: number,
): FileHit[] {
  const match = matchExpression(statistics, CANDIDATE_ROWS);
  if (match === undefined) return [];
  return sql.all<FileHit>(
    `SELECT rowid AS fileId, bm25(file_fts, ${columns.join(", ")}) AS score FROM file_fts
     WHERE file_fts MATCH ?1 AND (?2 IS NULL OR rowid IN (SELECT value FROM json_each(?2)))
     ORDER BY score LIMIT ?3`,
    match,
    scope.fileIds === undefined ? null : JSON.stringify(scope.fileIds),
    limit,
  );
}
