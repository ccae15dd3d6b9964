import { DECLARATION_COLUMNS, type Declaration, type DeclarationRow, toDeclaration } from "../declaration.ts";
import type { SqlDriver } from "../ports.ts";
import { type PathNames, pathNames } from "../search/paths.ts";
import { lastPart, readUses, type StoredUse, usersMatch } from "../store/uses.ts";
import { findFile } from "./find-file.ts";

/** A place where a name is used, and the declaration around it. */
export interface Use extends Declaration {
  readonly use: "call" | "import" | "extends" | "type";
  readonly line: number;
  /** The line itself, where it is at hand. */
  readonly text: string;
}

export interface References {
  readonly definitions: readonly Declaration[];
  readonly uses: readonly Use[];
  /** Uses found in all; `uses` holds the first ones. */
  readonly total: number;
}

const MAX_DEFINITIONS = 50;
const MAX_USES = 100;

/**
 * Where a name is defined and where it is called, imported, inherited or named as a type. Matching is by name (the
 * last part of a qualified one): two functions of one name share their uses.
 * @param path only uses and definitions in this file or below this directory.
 */
export function findReferences(sql: SqlDriver, symbol: string, path?: string, repo?: string): References {
  const paths = pathNames(sql);
  const name =
    symbol
      .trim()
      .replace(/\(.*$/s, "")
      .split(/::|[.#]/)
      .at(-1) ?? "";
  if (name === "") return { definitions: [], uses: [], total: 0 };
  const inScope = scopeOf(sql, paths, path, repo);
  const definitions = sql
    .all<DeclarationRow>(
      `SELECT ${DECLARATION_COLUMNS} FROM units u JOIN files f ON f.id = u.file_id
       WHERE u.name = ? COLLATE NOCASE AND u.kind NOT IN ('code', 'text', 'section', 'metadata')
       ORDER BY u.name = ? DESC, u.form, f.path, u.start_line`,
      name,
      name,
    )
    .filter(inScope)
    .slice(0, MAX_DEFINITIONS);
  const uses = usesOf(sql, name).filter(inScope);
  return {
    definitions: definitions.map((row) => toDeclaration(paths, row)),
    uses: uses.slice(0, MAX_USES).map((row) => toUse(sql, paths, row)),
    total: uses.length,
  };
}

interface UseRow extends DeclarationRow {
  readonly name: string;
  readonly use: Use["use"];
  readonly line: number;
  readonly role: string;
}

/** Uses of a name, case not minded, and imports of a module path that ends in it: as it is written first, tests last. */
function usesOf(sql: SqlDriver, name: string): UseRow[] {
  const wanted = name.toLowerCase();
  const isIt = ([kind, used]: StoredUse) =>
    used.toLowerCase() === wanted || (kind === "import" && lastPart(used).toLowerCase() === wanted);
  const rows = sql.all<DeclarationRow & { role: string; uses: string }>(
    `SELECT ${DECLARATION_COLUMNS}, f.role, n.uses FROM use_terms t JOIN unit_uses n ON n.unit_id = t.rowid
     JOIN units u ON u.id = n.unit_id JOIN files f ON f.id = u.file_id WHERE use_terms MATCH ?`,
    usersMatch(name),
  );
  const found = rows.flatMap(({ uses, ...row }) =>
    readUses(uses)
      .filter(isIt)
      .map(([use, used, offset]): UseRow => ({ ...row, name: used, use, line: row.start_line + offset })),
  );
  const key = (row: UseRow) => (row.name === name ? 0 : 2) + (row.role === "test" ? 1 : 0);
  return found.sort((a, b) => key(a) - key(b) || compare(a.path, b.path) || a.line - b.line);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function scopeOf(
  sql: SqlDriver,
  paths: PathNames,
  path: string | undefined,
  repo: string | undefined,
): (row: DeclarationRow) => boolean {
  const rootOf = new Map(paths.roots.map((root) => [root.id, root.name]));
  const inRepo = (row: DeclarationRow) => repo === undefined || rootOf.get(row.root_id) === repo;
  if (path === undefined || path === "") return inRepo;
  const file = findFile(sql, path, repo);
  if (file) return (row) => row.root_id === file.root.id && row.path === file.path;
  const directory = `${path.replaceAll("\\", "/").replace(/^\.\/|\/+$/g, "")}/`;
  return (row) =>
    inRepo(row) && (row.path.startsWith(directory) || paths.display(row.root_id, row.path).startsWith(directory));
}

function toUse(sql: SqlDriver, paths: PathNames, row: UseRow): Use {
  const chunk = sql.all<{ start_line: number; text: string }>(
    `SELECT start_line, text FROM chunks WHERE unit_id = ? AND start_line <= ? AND end_line >= ? ORDER BY ordinal LIMIT 1`,
    row.id,
    row.line,
    row.line,
  )[0];
  return {
    ...toDeclaration(paths, row),
    use: row.use,
    line: row.line,
    text: chunk ? lineWith(chunk.text, row.line - chunk.start_line, row.name) : "",
  };
}

/** The line at an offset; where nested declarations were taken out of the text, the nearest line that has the name. */
function lineWith(text: string, offset: number, name: string): string {
  const lines = text.replace(/^(?:[ \t\r]*\n)+/, "").split("\n");
  const here = lines[offset];
  const line = here?.includes(name) ? here : lines.slice(0, offset).findLast((other) => other.includes(name));
  return (line ?? here ?? "").trim().slice(0, 200);
}
