import type { FileRole } from "../files/role.ts";
import type { SqlDriver } from "../ports.ts";

/** Why a file is listed but not indexed. */
export type SkipReason = "binary" | "minified" | "generated" | "too large" | "secret" | "submodule" | "unreadable";

/** What a listing knows without reading: enough to tell that a file did not change. */
export interface FileStat {
  /** Path below the root, with `/`. */
  readonly path: string;
  readonly size: number;
  /** Whole milliseconds. */
  readonly modifiedMs: number;
}

export interface StoredFile {
  readonly id: number;
  readonly path: string;
  readonly size: number;
  readonly modified_ms: number;
  readonly checked_ms: number;
  readonly hash: string | null;
  readonly extractor: string | null;
  readonly skipped: SkipReason | null;
}

export interface IndexedFile {
  readonly hash: string;
  readonly extractor: string;
  readonly language: string;
  readonly quality: string;
  readonly role: FileRole;
  readonly lines: number;
}

/** All files of a root by path, skipped ones included. */
export function storedFiles(sql: SqlDriver, rootId: number): Map<string, StoredFile> {
  const rows = sql.all<StoredFile>(
    "SELECT id, path, size, modified_ms, checked_ms, hash, extractor, skipped FROM files WHERE root_id = ?",
    rootId,
  );
  return new Map(rows.map((row) => [row.path, row]));
}

/** Writes a file's row and gives its id; `content` is what was indexed, or why it was skipped. */
export function putFile(
  sql: SqlDriver,
  rootId: number,
  stat: FileStat,
  checkedMs: number,
  content: IndexedFile | SkipReason,
): number {
  const indexed = typeof content === "string" ? undefined : content;
  sql.all(
    `INSERT INTO files (root_id, path, size, modified_ms, checked_ms, hash, extractor, language, quality, role, lines, skipped)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (root_id, path) DO UPDATE SET size = excluded.size, modified_ms = excluded.modified_ms,
       checked_ms = excluded.checked_ms, hash = excluded.hash, extractor = excluded.extractor,
       language = excluded.language, quality = excluded.quality, role = excluded.role, lines = excluded.lines,
       skipped = excluded.skipped`,
    rootId,
    stat.path,
    stat.size,
    stat.modifiedMs,
    checkedMs,
    indexed?.hash ?? null,
    indexed?.extractor ?? null,
    indexed?.language ?? null,
    indexed?.quality ?? null,
    indexed?.role ?? null,
    indexed?.lines ?? null,
    typeof content === "string" ? content : null,
  );
  const rows = sql.all<{ id: number }>("SELECT id FROM files WHERE root_id = ? AND path = ?", rootId, stat.path);
  return (rows[0] as { id: number }).id;
}

/** Notes that a file was looked at and holds what it held. */
export function touchFile(sql: SqlDriver, fileId: number, stat: FileStat, checkedMs: number): void {
  sql.all(
    "UPDATE files SET size = ?, modified_ms = ?, checked_ms = ? WHERE id = ?",
    stat.size,
    stat.modifiedMs,
    checkedMs,
    fileId,
  );
}

export function deleteFileRow(sql: SqlDriver, fileId: number): void {
  sql.all("DELETE FROM files WHERE id = ?", fileId);
}
