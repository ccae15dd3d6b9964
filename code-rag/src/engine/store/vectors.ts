import type { SqlDriver } from "../ports.ts";
import type { PreparedFile } from "../prepare/prepare-file.ts";

/** Stores the vector of a content; the first one stays. */
export function putVector(sql: SqlDriver, hash: string, vector: Int8Array): void {
  sql.all(
    "INSERT OR IGNORE INTO vectors (hash, vector) VALUES (?, ?)",
    hash,
    new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength),
  );
}

/** Stores the vectors that came with a file. */
export function putFileVectors(sql: SqlDriver, { units, vectors }: PreparedFile): void {
  const chunks = units.flatMap((unit) => unit.chunks);
  if (!vectors || chunks.length === 0) return;
  const dimensions = vectors.length / chunks.length;
  chunks.forEach((chunk, at) => {
    putVector(sql, chunk.hash, vectors.subarray(at * dimensions, (at + 1) * dimensions));
  });
}
