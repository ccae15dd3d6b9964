/**
 * Gives every chunk a vector. Vectors belong to content: what was embedded once, here or in another file, is not
 * embedded again. Each batch is committed, so that an interrupted run goes on where it stopped.
 */

import type { AbortSignalLike, Embedder, SqlDriver } from "../ports.ts";
import { embeddingInput } from "../prepare/embedding-input.ts";
import { countMeta, readMeta, writeMeta } from "../store/meta.ts";
import { putVector } from "../store/vectors.ts";

const BATCH = 64;

export interface EmbedProgress {
  readonly embedded: number;
  readonly total: number;
}

/** Whether the index holds vectors of another model. They are no use to `embedder` and `embedMissing` replaces them. */
export function embedderChanged(sql: SqlDriver, embedder: Embedder): boolean {
  const before = readMeta(sql, "embedder");
  return before !== undefined && before !== embedder.id;
}

/** Drops all vectors, so that the next `embedMissing` makes them anew. Summaries stay. */
export function dropVectors(sql: SqlDriver): void {
  sql.transaction(() => {
    sql.all("DELETE FROM vectors");
    writeMeta(sql, "embedded", "no");
    countMeta(sql, "removals");
  });
}

/** Makes the index ready for the embedder's vectors: those of another model go. */
export function adoptEmbedder(sql: SqlDriver, embedder: Embedder): void {
  if (embedderChanged(sql, embedder)) dropVectors(sql);
  if (readMeta(sql, "embedder") !== embedder.id) writeMeta(sql, "embedder", embedder.id);
}

/** Embeds what has no vector yet. An embedder's error is thrown on; what was committed before it stays. */
export async function embedMissing(
  sql: SqlDriver,
  embedder: Embedder,
  options: { readonly signal?: AbortSignalLike; readonly onProgress?: (progress: EmbedProgress) => void } = {},
): Promise<number> {
  adoptEmbedder(sql, embedder);
  if (readMeta(sql, "embedded") === "yes") return 0;
  const missing = sql.all<{ hash: string }>(
    "SELECT DISTINCT hash FROM chunks WHERE hash NOT IN (SELECT hash FROM vectors)",
  );
  let embedded = 0;
  for (let start = 0; start < missing.length; start += BATCH) {
    if (options.signal?.aborted) break;
    const hashes = missing.slice(start, start + BATCH).map((row) => row.hash);
    const texts = chunkTexts(sql, hashes);
    const vectors = await embedder.embed(
      texts.map((row) => row.input),
      "document",
    );
    sql.transaction(() => {
      texts.forEach((row, index) => {
        putVector(sql, row.hash, vectors[index] as Int8Array);
      });
    });
    embedded += texts.length;
    options.onProgress?.({ embedded, total: missing.length });
  }
  if (embedded === missing.length) writeMeta(sql, "embedded", "yes");
  return embedded;
}

/** Removes vectors of contents that were removed and stand nowhere else. */
export function pruneVectors(sql: SqlDriver): void {
  sql.transaction(() => {
    sql.all(
      `DELETE FROM vectors WHERE hash IN (SELECT hash FROM removed_hashes r
       WHERE NOT EXISTS (SELECT 1 FROM chunks c WHERE c.hash = r.hash))`,
    );
    sql.all("DELETE FROM removed_hashes");
    countMeta(sql, "removals");
  });
}

interface ChunkText {
  readonly hash: string;
  readonly input: string;
}

function chunkTexts(sql: SqlDriver, hashes: readonly string[]): ChunkText[] {
  const rows = sql.all<{ hash: string; symbol: string; doc: string; text: string; summary: string | null }>(
    `SELECT c.hash, u.symbol, u.doc, c.text,
       CASE WHEN c.ordinal = 0 THEN
         (SELECT s.text FROM summaries s WHERE s.hash = u.hash ORDER BY s.prompt_version DESC, s.model LIMIT 1)
       END AS summary
     FROM chunks c JOIN units u ON u.id = c.unit_id
     WHERE c.hash IN (SELECT value FROM json_each(?)) GROUP BY c.hash`,
    JSON.stringify(hashes),
  );
  return rows.map((row) => ({
    hash: row.hash,
    input: embeddingInput(row.symbol, row.doc, row.text, row.summary),
  }));
}
