import type { VectorIndex } from "../embedding/vector-index.ts";
import type { Embedder, SqlDriver } from "../ports.ts";
import type { Scope } from "./filter.ts";
import type { Hit } from "./lexical.ts";

/** Chunks whose meaning is close to the query's, best first. */
export async function semanticHits(
  sql: SqlDriver,
  embedder: Embedder,
  vectors: VectorIndex,
  query: string,
  scope: Scope,
  limit: number,
): Promise<Hit[]> {
  if (vectors.size === 0) return [];
  const [vector] = await embedder.embed([query], "query");
  if (!vector) return [];
  const neighbours = vectors.nearest(vector, limit, allowedHashes(sql, scope));
  return chunksOf(sql, neighbours, scope);
}

function allowedHashes(sql: SqlDriver, scope: Scope): ReadonlySet<string> | undefined {
  if (scope.fileIds === undefined && scope.kind === undefined) return undefined;
  const rows = sql.all<{ hash: string }>(
    `SELECT c.hash FROM chunks c JOIN units u ON u.id = c.unit_id
     WHERE (?1 IS NULL OR c.file_id IN (SELECT value FROM json_each(?1))) AND (?2 IS NULL OR u.kind = ?2)`,
    scope.fileIds === undefined ? null : JSON.stringify(scope.fileIds),
    scope.kind ?? null,
  );
  return new Set(rows.map((row) => row.hash));
}

/** One content may stand in several places; each is a hit, next to its twins. */
function chunksOf(
  sql: SqlDriver,
  neighbours: readonly { readonly hash: string; readonly similarity: number }[],
  scope: Scope,
): Hit[] {
  const similarity = new Map(neighbours.map((neighbour) => [neighbour.hash, neighbour.similarity]));
  const rows = sql.all<{ id: number; hash: string }>(
    `SELECT id, hash FROM chunks WHERE hash IN (SELECT value FROM json_each(?1))
     AND (?2 IS NULL OR file_id IN (SELECT value FROM json_each(?2)))`,
    JSON.stringify([...similarity.keys()]),
    scope.fileIds === undefined ? null : JSON.stringify(scope.fileIds),
  );
  const hits = rows.map((row) => ({ chunkId: row.id, score: similarity.get(row.hash) as number }));
  return hits.sort((a, b) => b.score - a.score || a.chunkId - b.chunkId);
}
