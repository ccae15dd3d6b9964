import type { SqlDriver } from "../ports.ts";
import { pathNames } from "../search/paths.ts";
import type { Root } from "../store/roots.ts";

export interface FoundFile {
  readonly id: number;
  readonly root: Root;
  /** Path below the root. */
  readonly path: string;
  readonly display: string;
  readonly language: string;
  readonly role: string;
  readonly lines: number;
}

/** A file that the index lists and did not skip, by a path as tools show it (`\` is taken for `/`). */
export function findFile(sql: SqlDriver, path: string, repo?: string): FoundFile | undefined {
  const paths = pathNames(sql);
  for (const candidate of paths.resolve(path, repo)) {
    const row = sql.all<{ id: number; language: string; role: string; lines: number }>(
      "SELECT id, language, role, lines FROM files WHERE root_id = ? AND path = ? AND skipped IS NULL",
      candidate.root.id,
      candidate.path,
    )[0];
    if (row) return { ...row, ...candidate, display: paths.display(candidate.root.id, candidate.path) };
  }
  return undefined;
}
