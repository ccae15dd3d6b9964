/**
 * The word index. bm25 costs time for every row that matches, so a question's common words choose no candidates: they
 * only add to the score of what its rare words found.
 */

import type { SqlDriver } from "../ports.ts";
import type { Scope } from "./filter.ts";

/** A candidate chunk; lists are ordered best first, and only their order is used. */
export interface Hit {
  readonly chunkId: number;
  readonly score: number;
}

export interface TermStatistics {
  readonly term: string;
  /** Chunks that hold the term. */
  readonly chunks: number;
  /** Inverse document frequency, > 0. */
  readonly weight: number;
}

/** Rows that the candidate-choosing terms may match together. */
const CANDIDATE_ROWS = 4_000;

/** How rare each term is in the index; terms that occur nowhere are left out. */
export function termStatistics(sql: SqlDriver, terms: readonly string[]): TermStatistics[] {
  const total = sql.all<{ n: number }>("SELECT max(id) AS n FROM chunks")[0]?.n ?? 0;
  return sql
    .all<{ term: string; doc: number }>(
      "SELECT term, doc FROM chunk_terms WHERE term IN (SELECT value FROM json_each(?))",
      JSON.stringify(terms),
    )
    .map((row) => ({
      term: row.term,
      chunks: row.doc,
      weight: Math.log(1 + (Math.max(total, row.doc) - row.doc + 0.5) / (row.doc + 0.5)),
    }));
}

/** Best chunks by weighted bm25. */
export function lexicalHits(
  sql: SqlDriver,
  statistics: readonly TermStatistics[],
  scope: Scope,
  columns: readonly [number, number, number, number],
  limit: number,
): Hit[] {
  const match = matchExpression(statistics);
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

/** `(rare OR rarer) AND (rare OR rarer OR common)`: the second part only scores. Terms are letters and digits, quoted. */
function matchExpression(statistics: readonly TermStatistics[]): string | undefined {
  const rarestFirst = [...statistics].sort((a, b) => a.chunks - b.chunks);
  const choosing: string[] = [];
  let rows = 0;
  for (const { term, chunks } of rarestFirst) {
    if (choosing.length > 0 && rows + chunks > CANDIDATE_ROWS) break;
    choosing.push(`"${term}"`);
    rows += chunks;
  }
  if (choosing.length === 0) return undefined;
  const all = rarestFirst.map(({ term }) => `"${term}"`);
  const anyOf = (quoted: readonly string[]) => `(${quoted.join(" OR ")})`;
  return all.length === choosing.length ? anyOf(all) : `${anyOf(choosing)} AND ${anyOf(all)}`;
}
