import type { SqlDriver } from "../ports.ts";
import { readMeta } from "../store/meta.ts";
import { listRoots, type SyncCounts } from "../store/roots.ts";

export interface RootStatus {
  readonly repo: string;
  readonly url: string | null;
  readonly ref: string | null;
  readonly revision: string | null;
  readonly files: number;
  readonly units: number;
  /** ISO time of the last complete sync; null before the first one. */
  readonly indexed_at: string | null;
  readonly last_sync: SyncCounts;
  readonly languages: Readonly<Record<string, number>>;
  /** Files that are not indexed, by reason, with the first paths of each. */
  readonly skipped: Readonly<Record<string, { readonly files: number; readonly paths: readonly string[] }>>;
}

export interface IndexStatus {
  readonly roots: readonly RootStatus[];
  /** Model of the vectors; null where search goes by words only. */
  readonly embedder: string | null;
  readonly vectors: number;
  readonly chunks: number;
  readonly summaries: number;
}

const NAMED_PATHS = 20;

/** What the index holds, root by root. */
export function indexStatus(sql: SqlDriver): IndexStatus {
  const count = (table: string) => sql.all<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)[0]?.n ?? 0;
  const roots = listRoots(sql).map((root): RootStatus => {
    const byLanguage = sql.all<{ language: string; n: number }>(
      `SELECT language, count(*) AS n FROM files WHERE root_id = ? AND skipped IS NULL GROUP BY language ORDER BY n DESC, language`,
      root.id,
    );
    return {
      repo: root.name,
      url: root.url,
      ref: root.ref,
      revision: root.revision,
      files: byLanguage.reduce((sum, row) => sum + row.n, 0),
      units:
        sql.all<{ n: number }>(
          "SELECT count(*) AS n FROM units u JOIN files f ON f.id = u.file_id WHERE f.root_id = ?",
          root.id,
        )[0]?.n ?? 0,
      indexed_at: root.indexed_at === null ? null : new Date(root.indexed_at).toISOString(),
      last_sync: { added: root.added, updated: root.updated, removed: root.removed, unchanged: root.unchanged },
      languages: Object.fromEntries(byLanguage.map((row) => [row.language, row.n])),
      skipped: skippedFiles(sql, root.id),
    };
  });
  return {
    roots,
    embedder: readMeta(sql, "embedder") ?? null,
    vectors: count("vectors"),
    chunks: count("chunks"),
    summaries: count("summaries"),
  };
}

function skippedFiles(sql: SqlDriver, rootId: number): RootStatus["skipped"] {
  const rows = sql.all<{ skipped: string; path: string }>(
    "SELECT skipped, path FROM files WHERE root_id = ? AND skipped IS NOT NULL ORDER BY skipped, path",
    rootId,
  );
  const groups = Map.groupBy(rows, (row) => row.skipped);
  return Object.fromEntries(
    [...groups].map(([reason, files]) => [
      reason,
      { files: files.length, paths: files.slice(0, NAMED_PATHS).map((file) => file.path) },
    ]),
  );
}
