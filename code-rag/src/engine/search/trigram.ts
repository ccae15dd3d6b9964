/** Substrings of names: finds `mutex` in `ReadWriteMutexGuard` and `cfg` in `srvcfg`, where word splitting does not. */

import type { SqlDriver } from "../ports.ts";
import type { Scope } from "./filter.ts";
import type { Hit } from "./lexical.ts";

/** Trigrams need three characters; shorter words are left to the word index. */
const MIN_LENGTH = 3;
const MAX_WORDS = 8;
/** Rows that one query looks at before its limit: a word like `get` is in thousands of names. */
const SCAN_ROWS = 2_000;

/** Chunks of units whose name contains one of the words, best first. */
export function trigramHits(sql: SqlDriver, words: readonly string[], scope: Scope, limit: number): Hit[] {
  const usable = [...new Set(words)].filter((word) => [...word].length >= MIN_LENGTH && !word.includes("\0"));
  if (usable.length === 0) return [];
  const match = usable
    .slice(0, MAX_WORDS)
    .map((word) => `"${word.replaceAll('"', '""')}"`)
    .join(" OR ");
  return sql.all<Hit>(
    `SELECT min(c.id) AS chunkId, n.score AS score
     FROM (SELECT rowid AS unit_id, bm25(name_trigrams) AS score
           FROM name_trigrams WHERE name_trigrams MATCH ?1 LIMIT ${SCAN_ROWS}) n
     JOIN chunks c ON c.unit_id = n.unit_id JOIN units u ON u.id = n.unit_id
     WHERE (?2 IS NULL OR c.file_id IN (SELECT value FROM json_each(?2))) AND (?3 IS NULL OR u.kind = ?3)
     GROUP BY n.unit_id ORDER BY n.score LIMIT ?4`,
    match,
    scope.fileIds === undefined ? null : JSON.stringify(scope.fileIds),
    scope.kind ?? null,
    limit,
  );
}
