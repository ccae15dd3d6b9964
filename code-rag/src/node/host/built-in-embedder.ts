import { readFileSync } from "node:fs";
import { readStaticTable, type StaticEmbedder, staticEmbedder } from "../../engine/embedding/static-table.ts";

/** The trained table that ships with the package (`code-rag/train/` makes it). */
const TABLE = new URL("../../../model/embedding-table.bin", import.meta.url);

/** The built-in keyless embedding; undefined in an installation without its table: search then goes by words and names. */
export function builtInEmbedder(file: URL = TABLE): StaticEmbedder | undefined {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  return staticEmbedder(readStaticTable(bytes, (part) => new TextDecoder().decode(part)));
}
