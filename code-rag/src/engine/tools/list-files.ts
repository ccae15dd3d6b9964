import type { SqlDriver } from "../ports.ts";
import { pathMatcher } from "../search/filter.ts";
import { pathNames } from "../search/paths.ts";

export interface ListRequest {
  readonly what: "docs" | "sources";
  readonly globs?: readonly string[];
  readonly repo?: string;
  /** From an earlier answer; anything else starts at the beginning. */
  readonly cursor?: string;
}

export interface ListedPath {
  readonly path: string;
  readonly language: string;
  readonly lines: number;
}

export interface ListPage {
  readonly files: readonly ListedPath[];
  /** Files that match, on all pages. */
  readonly total: number;
  readonly next_cursor: string | null;
}

const PAGE = 200;
const DOCS = new Set(["markdown"]);

/** Documentation (Markdown) or everything else, by path, in pages. A cursor names the last path, so files may come and go. */
export function listIndexed(sql: SqlDriver, request: ListRequest): ListPage {
  const paths = pathNames(sql);
  const matches = pathMatcher(request.globs ?? []);
  const rows = sql.all<{ root_id: number; path: string; language: string; lines: number }>(
    `SELECT f.root_id, f.path, f.language, f.lines FROM files f JOIN roots r ON r.id = f.root_id
     WHERE f.skipped IS NULL AND (?1 IS NULL OR r.name = ?1)`,
    request.repo ?? null,
  );
  const wanted = rows
    .filter((row) => DOCS.has(row.language) === (request.what === "docs"))
    .map((row) => ({
      path: paths.display(row.root_id, row.path),
      inRoot: row.path,
      language: row.language,
      lines: row.lines,
    }))
    .filter((row) => matches(row.path) || matches(row.inRoot))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  const after = request.cursor ?? "";
  const start = wanted.findIndex((row) => row.path > after);
  const page = start === -1 ? [] : wanted.slice(start, start + PAGE);
  const more = start !== -1 && start + PAGE < wanted.length;
  return {
    files: page.map(({ path, language, lines }) => ({ path, language, lines })),
    total: wanted.length,
    next_cursor: more ? (page.at(-1)?.path ?? null) : null,
  };
}
