import type { SqlDriver } from "../../engine/ports.ts";
import { listRoots } from "../../engine/store/roots.ts";
import { UNIT_KINDS } from "../../engine/units/unit.ts";
import { CodeRagError } from "../errors.ts";

/** What several tools narrow their answers with. */
interface Filter {
  readonly repo?: unknown;
  readonly language?: unknown;
  readonly kind?: unknown;
}

/**
 * Throws one line that says what there is, where a tool is narrowed to what the index does not have: an empty answer would
 * look like "nothing found". Where `isComplete` is false, repositories and languages may still come.
 */
export function requireKnownFilter(sql: SqlDriver, { repo, language, kind }: Filter, isComplete: boolean): void {
  if (isGiven(kind)) requireOneOf("kind of unit", kind, UNIT_KINDS);
  if (!isComplete) return;
  if (isGiven(repo)) {
    const names = listRoots(sql).map(({ name }) => name);
    requireOneOf("repository", repo, names);
  }
  if (isGiven(language)) {
    const rows = sql.all<{ language: string }>(
      "SELECT DISTINCT language FROM files WHERE skipped IS NULL ORDER BY language",
    );
    requireOneOf(
      "language",
      language.toLowerCase(),
      rows.map((row) => row.language),
    );
  }
}

function isGiven(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function requireOneOf(what: string, wanted: string, known: readonly string[]): void {
  if (known.includes(wanted)) return;
  throw new CodeRagError(
    "not_found",
    `The index has no ${what} ${JSON.stringify(wanted)}. It has: ${known.join(", ")}.`,
  );
}
