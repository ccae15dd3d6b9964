/** The search: several ways of finding, joined by rank, ordered by rules. */

import type { VectorIndex } from "../embedding/vector-index.ts";
import { clamp } from "../limits.ts";
import type { Embedder, SqlDriver } from "../ports.ts";
import type { UnitKind } from "../units/unit.ts";
import { loadCandidates } from "./candidates.ts";
import { type Filter, resolveFilter } from "./filter.ts";
import { fuse, type RankedList } from "./fuse.ts";
import { lexicalHits } from "./lexical.ts";
import { type TermStatistics, termStatistics } from "./match-expression.ts";
import { definitionHits, nameHits } from "./names.ts";
import { pathNames } from "./paths.ts";
import { parseQuery, type Query } from "./query.ts";
import { type Ranked, rank } from "./rank.ts";
import { semanticHits } from "./semantic.ts";
import { DEFAULT_WEIGHTS, type RankWeights } from "./weights.ts";

export interface SearchRequest extends Filter {
  readonly query: string;
  /** 1…20; 5 if it is not given. */
  readonly topK?: number;
}

/** One result: a declaration record, its text, and why it is here. */
export interface SearchResult {
  readonly path: string;
  readonly start_line: number;
  readonly end_line: number;
  readonly kind: UnitKind;
  readonly symbol: string;
  readonly signature: string;
  readonly language: string;
  /** Comparable within one answer only; the first is the highest. */
  readonly score: number;
  readonly summary: string | null;
  readonly source: string;
  readonly why: readonly string[];
}

export interface SearchEngine {
  readonly sql: SqlDriver;
  /** Absent: words and substrings only. */
  readonly semantic?: { readonly embedder: Embedder; readonly vectors: VectorIndex };
  readonly weights?: RankWeights;
}

export const MAX_RESULTS = 20;
/** Candidates taken from each list. */
const LIST_LENGTH = 200;
const NAMES_LENGTH = 60;
/** Candidates that the rules look at: those further down of the joined lists never come up (`docs/retrieval.md`). */
const RANKED = 150;
/** A word in more chunks than this is not looked for inside longer names. */
const SELDOM_ROWS = 100;

/** Answers a query; best first. No query is an error: one without a word gives no results. */
export async function search(engine: SearchEngine, request: SearchRequest): Promise<SearchResult[]> {
  const topK = clamp(request.topK, 1, MAX_RESULTS, 5);
  const ranked = await rankedUnits(engine, request);
  return withSources(engine.sql, ranked.slice(0, topK));
}

/** The order before it is cut and filled with text: what benchmarks and related-unit searches use. */
export async function rankedUnits(engine: SearchEngine, request: SearchRequest): Promise<Ranked[]> {
  const { sql, weights = DEFAULT_WEIGHTS } = engine;
  const query = parseQuery(request.query);
  if (query.terms.length === 0) return [];
  const scope = resolveFilter(sql, request, pathNames(sql).display);
  if (scope.fileIds?.length === 0) return [];
  const statistics = termStatistics(sql, query.terms);
  const list = weights.lists[query.shape];
  const lists: RankedList[] = [
    {
      name: "words",
      weight: list.lexical,
      hits: lexicalHits(sql, statistics, scope, weights.columns[query.shape], LIST_LENGTH),
    },
  ];
  const definitions = list.names > 0 ? definitionHits(sql, query.written, scope) : [];
  if (list.names > 0) {
    const hits = nameHits(sql, definitions, substringWords(query, statistics), scope, NAMES_LENGTH);
    lists.push({ name: "part of a name", weight: list.names, hits });
  }
  // Where a name that was asked for is defined, there is nothing left to guess.
  const isKnown = query.shape === "symbol" && definitions.length > 0;
  if (engine.semantic && list.semantic > 0 && !isKnown) {
    const { embedder, vectors } = engine.semantic;
    const hits = await semanticHits(sql, embedder, vectors, request.query, scope, LIST_LENGTH / 2);
    lists.push({ name: "meaning", weight: list.semantic, hits });
  }
  const found = fuse(lists, weights.fusion[query.shape], weights.fusionK).slice(0, RANKED);
  const candidates = loadCandidates(
    sql,
    found.map((entry) => entry.chunkId),
  );
  return rank({ query, statistics, found, candidates, weights });
}

/**
 * Words worth looking for inside longer names: names as written, and words that the word index has seldom. What it has
 * often stands in thousands of names as well.
 */
function substringWords(query: Query, statistics: readonly TermStatistics[]): string[] {
  const rows = new Map(statistics.map((entry) => [entry.term, entry.rows]));
  return [...query.names, ...query.terms.filter((term) => term.length >= 4 && (rows.get(term) ?? 0) <= SELDOM_ROWS)];
}

/** What a result shows beside what the rules looked at. */
interface Shown {
  readonly id: number;
  readonly rootId: number;
  readonly language: string;
  readonly signature: string;
  readonly text: string;
  readonly summary: string | null;
}

/** A chunk that is gone by now is left out. */
function withSources(sql: SqlDriver, ranked: readonly Ranked[]): SearchResult[] {
  const paths = pathNames(sql);
  const rows = sql.all<Shown>(
    `SELECT c.id, f.root_id AS rootId, f.language, u.signature, c.text,
       (SELECT s.text FROM summaries s WHERE s.hash = u.hash ORDER BY s.prompt_version DESC LIMIT 1) AS summary
     FROM chunks c JOIN units u ON u.id = c.unit_id JOIN files f ON f.id = c.file_id
     WHERE c.id IN (SELECT value FROM json_each(?))`,
    JSON.stringify(ranked.map((entry) => entry.candidate.chunkId)),
  );
  const shown = new Map(rows.map((row) => [row.id, row]));
  return ranked.flatMap(({ candidate, score, why }) => {
    const row = shown.get(candidate.chunkId);
    if (!row) return [];
    return {
      path: paths.display(row.rootId, candidate.path),
      start_line: candidate.startLine,
      end_line: candidate.endLine,
      kind: candidate.kind,
      symbol: candidate.symbol,
      signature: row.signature,
      language: row.language,
      score: Math.round(score * 10_000) / 10_000,
      summary: row.summary,
      source: row.text,
      why,
    };
  });
}
