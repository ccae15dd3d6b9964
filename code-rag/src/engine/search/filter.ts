import picomatch from "picomatch/posix.js";
import type { SqlDriver } from "../ports.ts";

/** What a search is narrowed to. Filters decide before ranking, so that a narrow search still fills its places. */
export interface Filter {
  readonly repo?: string;
  /** Globs over paths as results show them; one match is enough. `!` in front excludes. */
  readonly globs?: readonly string[];
  readonly language?: string;
  readonly kind?: string;
}

export interface Scope {
  /** Ids of the files that may answer; undefined: all. */
  readonly fileIds: readonly number[] | undefined;
  readonly kind: string | undefined;
}

/** Resolves a filter against the index. */
export function resolveFilter(
  sql: SqlDriver,
  filter: Filter,
  displayPath: (rootId: number, path: string) => string,
): Scope {
  const kind = filter.kind || undefined;
  const globs = filter.globs?.filter((glob) => glob.length > 0) ?? [];
  if (filter.repo === undefined && globs.length === 0 && filter.language === undefined)
    return { fileIds: undefined, kind };
  const rows = sql.all<{ id: number; root_id: number; path: string }>(
    `SELECT f.id, f.root_id, f.path FROM files f JOIN roots r ON r.id = f.root_id
     WHERE f.skipped IS NULL AND (?1 IS NULL OR r.name = ?1) AND (?2 IS NULL OR f.language = ?2)`,
    filter.repo ?? null,
    filter.language?.toLowerCase() ?? null,
  );
  const matches = pathMatcher(globs);
  const fileIds = rows
    .filter((row) => matches(row.path) || matches(displayPath(row.root_id, row.path)))
    .map((row) => row.id);
  return { fileIds, kind };
}

/** Matches a path against globs: `*.ts` and other globs without a slash match in any directory. */
export function pathMatcher(globs: readonly string[]): (path: string) => boolean {
  const compile = (glob: string) => {
    const wide = glob.includes("/") ? glob.replace(/^\.?\//, "") : `**/${glob}`;
    return picomatch(wide.endsWith("/") ? `${wide}**` : wide, { dot: true });
  };
  const wanted = globs.filter((glob) => !glob.startsWith("!")).map(compile);
  const unwanted = globs.filter((glob) => glob.startsWith("!")).map((glob) => compile(glob.slice(1)));
  return (path) =>
    (wanted.length === 0 || wanted.some((matches) => matches(path))) && !unwanted.some((matches) => matches(path));
}
