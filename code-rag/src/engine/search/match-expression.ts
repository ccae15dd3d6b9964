/**
 * FTS5 queries from terms. bm25 costs time for every row that matches, so a question's common words choose no
 * candidates: they only add to the score of what its rare words found.
 */

import type { SqlDriver } from "../ports.ts";

export interface TermStatistics {
  readonly term: string;
  /** Rows that hold the term. */
  readonly rows: number;
  /** Inverse document frequency, > 0. */
  readonly weight: number;
}

/** How rare each term is; terms that occur nowhere are left out. */
export function termStatistics(
  sql: SqlDriver,
  terms: readonly string[],
  of: "chunks" | "files" = "chunks",
): TermStatistics[] {
  const [vocabulary, table] = of === "chunks" ? ["chunk_terms", "chunks"] : ["file_terms", "files"];
  const total = sql.all<{ n: number }>(`SELECT max(id) AS n FROM ${table}`)[0]?.n ?? 0;
  return sql
    .all<{ term: string; doc: number }>(
      `SELECT term, doc FROM ${vocabulary} WHERE term IN (SELECT value FROM json_each(?))`,
      JSON.stringify(terms),
    )
    .map((row) => ({
      term: row.term,
      rows: row.doc,
      weight: Math.log(1 + (Math.max(total, row.doc) - row.doc + 0.5) / (row.doc + 0.5)),
    }));
}

/**
 * `(rare OR rarer) AND (rare OR rarer OR common)`: the second part only scores. Terms are letters and digits, quoted.
 * @param candidateRows rows that the choosing terms may match together.
 */
export function matchExpression(statistics: readonly TermStatistics[], candidateRows: number): string | undefined {
  const rarestFirst = [...statistics].sort((a, b) => a.rows - b.rows);
  const choosing: string[] = [];
  let matched = 0;
  for (const { term, rows } of rarestFirst) {
    if (choosing.length > 0 && matched + rows > candidateRows) break;
    choosing.push(`"${term}"`);
    matched += rows;
  }
  if (choosing.length === 0) return undefined;
  const all = rarestFirst.map(({ term }) => `"${term}"`);
  const anyOf = (quoted: readonly string[]) => `(${quoted.join(" OR ")})`;
  return all.length === choosing.length ? anyOf(all) : `${anyOf(choosing)} AND ${anyOf(all)}`;
}
