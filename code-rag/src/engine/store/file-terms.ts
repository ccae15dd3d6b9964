import type { SqlDriver } from "../ports.ts";
import type { PreparedFile } from "../prepare/prepare-file.ts";

/** Writes a file's entry in the index of whole files: every term of its path, its names and its text, each once. */
export function writeFileTerms(sql: SqlDriver, fileId: number, file: PreparedFile): void {
  sql.all(
    "INSERT OR REPLACE INTO file_fts (rowid, path, names, body) VALUES (?, ?, ?, ?)",
    fileId,
    file.pathTerms,
    file.nameTerms,
    file.bodyTerms,
  );
}

export function deleteFileTerms(sql: SqlDriver, fileId: number): void {
  sql.all("DELETE FROM file_fts WHERE rowid = ?", fileId);
}
