import type { SqlDriver } from "../ports.ts";
import { terms } from "../tokenize/tokens.ts";
import { summaryOf } from "./summaries.ts";

/**
 * Writes a chunk's entry in the word index from what is stored about it: names, path, doc comment (with the summary,
 * where a model wrote one) and text, each as our own token stream.
 */
export function writeChunkTerms(sql: SqlDriver, chunkId: number): void {
  const row = sql.all<{ hash: string; symbol: string; defines: string; doc: string; path: string; text: string }>(
    `SELECT u.hash, u.symbol, u.defines, u.doc, f.path, c.text FROM chunks c JOIN units u ON u.id = c.unit_id
     JOIN files f ON f.id = c.file_id WHERE c.id = ?`,
    chunkId,
  )[0];
  if (!row) return;
  const stream = (...texts: (string | undefined)[]) => texts.flatMap((text) => (text ? terms(text) : [])).join(" ");
  putChunkTerms(sql, chunkId, [
    stream(row.symbol, row.defines),
    stream(row.path),
    stream(row.doc, summaryOf(sql, row.hash)),
    stream(row.text),
  ]);
}

/** Writes a chunk's entry in the word index: terms of names, path, doc comment and text. */
export function putChunkTerms(
  sql: SqlDriver,
  chunkId: number,
  [names, path, doc, body]: readonly [string, string, string, string],
): void {
  sql.all(
    "INSERT OR REPLACE INTO chunk_fts (rowid, names, path, doc, body) VALUES (?, ?, ?, ?, ?)",
    chunkId,
    names,
    path,
    doc,
    body,
  );
}
