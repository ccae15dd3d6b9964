/**
 * FTS5 queries from terms. bm25 costs time for every row that matches, so a question's common words choose no
 * candidates: they only add to the score of what its rare words found.
 */

import type { SqlDriver } from "../ports.ts";
import { readMeta } from "../store/meta.ts";

const SURE_TERMS = 3;

export interface TermStatistics {
  readonly term: string;
  /** Rows that hold the term. */
  readonly rows: number;
  /** Inverse document frequency, > 0. */
  readonly weight: number;
}

/** How rare each term is; terms that occur nowhere are left out. */
export function termStatistics(sql: SqlDriver, terms: readonly string[]): TermStatistics[] {
  const total = sql.all<{ n: number }>("SELECT max(id) AS n FROM chunks")[0]?.n ?? 0;
  const rowsOf = termRows(sql, terms, `${total} ${readMeta(sql, "removals")}`);
  return terms.flatMap((term) => {
    const rows = rowsOf.get(term) ?? 0;
    if (rows === 0) return [];
    return [{ term, rows, weight: Math.log(1 + (Math.max(total, rows) - rows + 0.5) / (rows + 0.5)) }];
  });
}

interface KnownRows {
  readonly version: string;
  readonly rows: Map<string, number>;
}

const known = new WeakMap<SqlDriver, KnownRows>();
const KNOWN_TERMS = 20_000;

/**
 * Rows of each term. They are counted by reading all of a term's rows, and questions share their common terms: counts
 * are kept until the index changes.
 */
function termRows(sql: SqlDriver, terms: readonly string[], version: string): ReadonlyMap<string, number> {
  let kept = known.get(sql);
  if (!kept || kept.version !== version || kept.rows.size > KNOWN_TERMS) {
    kept = { version, rows: new Map() };
    known.set(sql, kept);
  }
  const { rows } = kept;
  const unknown = terms.filter((term) => !rows.has(term));
  if (unknown.length === 0) return rows;
  for (const term of unknown) rows.set(term, 0);
  const counted = sql.all<{ term: string; doc: number }>(
    "SELECT term, doc FROM chunk_terms WHERE term IN (SELECT value FROM json_each(?))",
    JSON.stringify(unknown),
  );
  for (const { term, doc } of counted) rows.set(term, doc);
  return rows;
}

/**
 * `(rare OR rarer) AND (rare OR rarer OR common)`: the second part only scores. Terms are letters and digits, quoted.
 * @param rowLimit rows that the choosing terms may match together: the three rarest all of them, further ones a quarter.
 */
export function matchExpression(statistics: readonly TermStatistics[], rowLimit: number): string | undefined {
  const rarestFirst = [...statistics].sort((a, b) => a.rows - b.rows);
  const choosing: string[] = [];
  let matched = 0;
  for (const { term, rows } of rarestFirst) {
    if (choosing.length > 0 && matched + rows > (choosing.length < SURE_TERMS ? rowLimit : rowLimit / 4)) break;
    choosing.push(`"${term}"`);
    matched += rows;
  }
  if (choosing.length === 0) return undefined;
  const all = rarestFirst.map(({ term }) => `"${term}"`);
  const anyOf = (quoted: readonly string[]) => `(${quoted.join(" OR ")})`;
  return all.length === choosing.length ? anyOf(all) : `${anyOf(choosing)} AND ${anyOf(all)}`;
}
