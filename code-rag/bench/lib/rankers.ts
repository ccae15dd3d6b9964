/** The systems that a retrieval benchmark compares. Each gives its results for a query, best first. */

import { spawnSync } from "node:child_process";
import { VectorIndex } from "../../src/engine/embedding/vector-index.ts";
import type { Embedder } from "../../src/engine/ports.ts";
import { rankedUnits, type SearchEngine } from "../../src/engine/search/search.ts";
import { DEFAULT_WEIGHTS, type RankWeights } from "../../src/engine/search/weights.ts";
import { NodeSqlite } from "../../src/node/sqlite/node-sqlite.ts";
import type { Result } from "./ndcg.ts";

export type Ranker = (query: string, depth: number) => Promise<Result[]>;

/** code-rag as it is, or with some weights changed. */
export function ownRanker(sql: NodeSqlite, embedder: Embedder | undefined, change: Partial<RankWeights> = {}): Ranker {
  const weights = { ...DEFAULT_WEIGHTS, ...change };
  const engine: SearchEngine = embedder
    ? { sql, weights, semantic: { embedder, vectors: new VectorIndex(sql, embedder.dimensions) } }
    : { sql, weights };
  return async (query, depth) =>
    (await rankedUnits(engine, { query })).slice(0, depth).map(({ candidate }) => ({
      path: candidate.path,
      startLine: candidate.startLine,
      endLine: candidate.endLine,
    }));
}

interface ChunkRow {
  readonly path: string;
  readonly symbol: string;
  readonly start_line: number;
  readonly end_line: number;
  readonly text: string;
}

function chunksOf(sql: NodeSqlite): ChunkRow[] {
  return sql.all<ChunkRow>(
    `SELECT f.path, u.symbol, c.start_line, c.end_line, c.text FROM chunks c JOIN units u ON u.id = c.unit_id
     JOIN files f ON f.id = c.file_id ORDER BY c.id`,
  );
}

const toResult = (row: ChunkRow): Result => ({ path: row.path, startLine: row.start_line, endLine: row.end_line });
const wordsOf = (query: string) => [...new Set(query.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [])];

/** FTS5 as it comes: the same chunks, its own tokeniser, its own bm25, the query's words joined by OR. */
export function plainFts5(sql: NodeSqlite): Ranker {
  const chunks = chunksOf(sql);
  const plain = NodeSqlite.inMemory();
  plain.all("CREATE VIRTUAL TABLE t USING fts5(text)");
  plain.transaction(() => {
    for (const [row, chunk] of chunks.entries())
      plain.all("INSERT INTO t (rowid, text) VALUES (?, ?)", row, chunk.text);
  });
  return async (query, depth) => {
    const match = wordsOf(query)
      .map((word) => `"${word}"`)
      .join(" OR ");
    const rows = plain.all<{ rowid: number }>(
      "SELECT rowid FROM t WHERE t MATCH ? ORDER BY rank LIMIT ?",
      match,
      depth,
    );
    return rows.map((row) => toResult(chunks[row.rowid] as ChunkRow));
  };
}

/** repo-rag's keyword score, from its description: hits of the query's words, three times for names, by number of words. */
export function keywordScore(sql: NodeSqlite): Ranker {
  const chunks = chunksOf(sql).map((row) => ({ row, name: row.symbol.toLowerCase(), text: row.text.toLowerCase() }));
  return async (query, depth) => {
    const words = wordsOf(query);
    const scored = chunks.map(({ row, name, text }) => {
      let hits = 0;
      for (const word of words) hits += (name.includes(word) ? 3 : 0) + (text.includes(word) ? 1 : 0);
      return { row, score: hits / Math.max(1, words.length) };
    });
    scored.sort((a, b) => b.score - a.score);
    return scored.slice(0, depth).map(({ row }) => toResult(row));
  };
}

/** ripgrep for each word, files by number of different words and then of matches; undefined where it is not installed. */
export function ripgrep(directory: string): Ranker | undefined {
  if (spawnSync("rg", ["--version"]).status !== 0) return undefined;
  return async (query, depth) => {
    const files = new Map<string, { words: number; matches: number }>();
    for (const word of wordsOf(query)) {
      const run = spawnSync("rg", ["--count-matches", "--ignore-case", "--fixed-strings", "--null", "-e", word, "."], {
        cwd: directory,
      });
      for (const line of run.stdout.toString("utf8").split("\n")) {
        const [path, count] = line.split("\0");
        if (!path || !count) continue;
        const entry = files.get(path) ?? { words: 0, matches: 0 };
        files.set(path, { words: entry.words + 1, matches: entry.matches + Number(count) });
      }
    }
    const ordered = [...files].sort(([, a], [, b]) => b.words - a.words || b.matches - a.matches);
    return ordered
      .slice(0, depth)
      .map(([path]) => ({ path: path.replace(/^\.\//, ""), startLine: 1, endLine: Number.MAX_SAFE_INTEGER }));
  };
}
