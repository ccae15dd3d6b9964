/**
 * Names: units that are called as the query says, and names with a word of it inside (`mutex` in `ReadWriteMutexGuard`,
 * `cfg` in `srvcfg`), where word splitting does not find it.
 */

import type { SqlDriver } from "../ports.ts";
import type { Scope } from "./filter.ts";
import type { Hit } from "./lexical.ts";

/** Trigrams need three characters; shorter words are left to the word index. */
const MIN_LENGTH = 3;
const MAX_WORDS = 8;
/** Rows that one query looks at before its limit: a word like `get` is in thousands of names. */
const SCAN_ROWS = 500;

/** A name that is defined more often says little. */
const DEFINITIONS = 20;

/**
 * Chunks of units that are called like one of `names`, types first; case is not minded. The word index may miss them: in a
 * type of a thousand lines its own name is one word of many.
 */
export function definitionHits(sql: SqlDriver, names: readonly string[], scope: Scope): Hit[] {
  const fileIds = scope.fileIds === undefined ? null : JSON.stringify(scope.fileIds);
  return names.flatMap((name) =>
    sql.all<Hit>(
      `SELECT (SELECT min(c.id) FROM chunks c WHERE c.unit_id = u.id) AS chunkId, 0 AS score
       FROM units u WHERE u.name = ?1 COLLATE NOCASE AND u.form = 'definition'
         AND (?2 IS NULL OR u.file_id IN (SELECT value FROM json_each(?2))) AND (?3 IS NULL OR u.kind = ?3)
         AND EXISTS (SELECT 1 FROM chunks c WHERE c.unit_id = u.id)
       ORDER BY u.kind IN ('function', 'method', 'constructor', 'extension', 'impl', 'namespace'), u.id LIMIT ${DEFINITIONS}`,
      name,
      fileIds,
      scope.kind ?? null,
    ),
  );
}

/** The definitions, then other chunks of units whose name contains one of `words`. */
export function nameHits(
  sql: SqlDriver,
  definitions: readonly Hit[],
  words: readonly string[],
  scope: Scope,
  limit: number,
): Hit[] {
  const known = new Set(definitions.map((hit) => hit.chunkId));
  return [...definitions, ...substringHits(sql, words, scope, limit).filter((hit) => !known.has(hit.chunkId))];
}

/** Chunks of units whose name contains one of the words, shortest names first. */
export function substringHits(sql: SqlDriver, words: readonly string[], scope: Scope, limit: number): Hit[] {
  const usable = [...new Set(words)].filter((word) => [...word].length >= MIN_LENGTH && !word.includes("\0"));
  if (usable.length === 0) return [];
  const match = usable
    .slice(0, MAX_WORDS)
    .map((word) => `"${word.replaceAll('"', '""')}"`)
    .join(" OR ");
  return sql.all<Hit>(
    `SELECT min(c.id) AS chunkId, length(u.symbol) + length(u.defines) AS score
     FROM (SELECT rowid AS unit_id FROM name_trigrams WHERE name_trigrams MATCH ?1 LIMIT ${SCAN_ROWS}) n
     JOIN units u ON u.id = n.unit_id JOIN chunks c ON c.unit_id = n.unit_id
     WHERE (?2 IS NULL OR u.file_id IN (SELECT value FROM json_each(?2))) AND (?3 IS NULL OR u.kind = ?3)
     GROUP BY n.unit_id ORDER BY score, n.unit_id LIMIT ?4`,
    match,
    scope.fileIds === undefined ? null : JSON.stringify(scope.fileIds),
    scope.kind ?? null,
    limit,
  );
}
