import type { SqlDriver } from "../ports.ts";

/** The few facts about a whole index. */
export type MetaKey =
  /** `Embedder.id` of the vectors in the index. */
  | "embedder"
  /** Grows when chunks or vectors are removed, for readers that keep something in memory. */
  | "removals"
  /** `yes` while every chunk is known to have a vector, so that none is looked for. */
  | "embedded";

export function readMeta(sql: SqlDriver, key: MetaKey): string | undefined {
  return sql.all<{ value: string }>("SELECT value FROM meta WHERE key = ?", key)[0]?.value;
}

export function writeMeta(sql: SqlDriver, key: MetaKey, value: string): void {
  sql.all(
    "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
    key,
    value,
  );
}

/** Adds one to a counter. */
export function countMeta(sql: SqlDriver, key: MetaKey): void {
  writeMeta(sql, key, String(Number(readMeta(sql, key) ?? "0") + 1));
}
