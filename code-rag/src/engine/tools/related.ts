import {
  DECLARATION_COLUMNS,
  type Declaration,
  type DeclarationRow,
  declarationRows,
  TEXT_KINDS,
  toDeclaration,
} from "../declaration.ts";
import type { SqlDriver } from "../ports.ts";
import { pathNames } from "../search/paths.ts";
import { rankedUnits, type SearchEngine } from "../search/search.ts";
import { readUses, usersMatch } from "../store/uses.ts";
import { identifiers } from "../tokenize/tokens.ts";
import { findFile } from "./find-file.ts";

export interface Related {
  /** What the others relate to. */
  readonly of: Declaration;
  readonly similar: readonly Declaration[];
  readonly callers: readonly Declaration[];
  readonly callees: readonly Declaration[];
  readonly tests: readonly Declaration[];
}

const MAX_EACH = 8;
const MAX_USERS = 100;
/** Names shared by more declarations than this (`get`, `toString`) say nothing about who calls whom. */
const COMMON_NAME = 12;

/** Units related to the one at a line (the innermost there), or to a file's first declaration; undefined for an unlisted file. */
export async function findRelated(
  engine: SearchEngine,
  path: string,
  line?: number,
  repo?: string,
): Promise<Related | undefined> {
  const { sql } = engine;
  const file = findFile(sql, path, repo);
  if (!file) return undefined;
  const unit = unitAt(sql, file.id, line);
  if (!unit) return undefined;
  const paths = pathNames(sql);
  const show = (rows: readonly DeclarationRow[]) => rows.slice(0, MAX_EACH).map((row) => toDeclaration(paths, row));
  const users = usersOf(sql, unit);
  const isTest = testFiles(sql, users);
  return {
    of: toDeclaration(paths, unit),
    similar: show(await similarTo(engine, unit)),
    callers: show(users.filter((row) => !isTest.has(row.id))),
    callees: show(calleesOf(sql, unit)),
    tests: show(
      [...users.filter((row) => isTest.has(row.id)), ...testsByName(sql, file.path, unit)].filter(firstOfItsId()),
    ),
  };
}

interface NamedRow extends DeclarationRow {
  readonly name: string;
}

function unitAt(sql: SqlDriver, fileId: number, line: number | undefined): NamedRow | undefined {
  const select = `SELECT ${DECLARATION_COLUMNS}, u.name FROM units u JOIN files f ON f.id = u.file_id WHERE u.file_id = ?1`;
  const inner = sql.all<NamedRow>(
    `${select} AND u.start_line <= ?2 AND u.end_line >= ?2 ORDER BY u.end_line - u.start_line, u.ordinal DESC LIMIT 1`,
    fileId,
    line ?? -1,
  )[0];
  if (inner) return inner;
  return sql.all<NamedRow>(
    `${select} ORDER BY u.kind IN (SELECT value FROM json_each(?2)), u.end_line - u.start_line DESC, u.ordinal LIMIT 1`,
    fileId,
    JSON.stringify(TEXT_KINDS),
  )[0];
}

/** Units that use the name, those in the same file first. */
function usersOf(sql: SqlDriver, unit: NamedRow): DeclarationRow[] {
  if (unit.name === "" || definitionsOf(sql, unit.name) > COMMON_NAME) return [];
  const rows = sql.all<DeclarationRow & { uses: string }>(
    `SELECT ${DECLARATION_COLUMNS}, n.uses FROM use_terms t JOIN unit_uses n ON n.unit_id = t.rowid
     JOIN units u ON u.id = n.unit_id JOIN files f ON f.id = u.file_id
     WHERE use_terms MATCH ?1 AND u.id <> ?2 ORDER BY f.path = ?3 DESC, f.path, u.start_line`,
    usersMatch(unit.name),
    unit.id,
    unit.path,
  );
  const users = rows.filter(({ uses }) =>
    readUses(uses).some(([kind, name]) => kind !== "import" && name === unit.name),
  );
  return users.slice(0, MAX_USERS);
}

function definitionsOf(sql: SqlDriver, name: string): number {
  return sql.all<{ n: number }>("SELECT count(*) AS n FROM units WHERE name = ? COLLATE NOCASE", name)[0]?.n ?? 0;
}

/** Definitions of the names that the unit uses; a name with many definitions counts only for the one in its own file. */
function calleesOf(sql: SqlDriver, unit: NamedRow): DeclarationRow[] {
  const stored = sql.all<{ uses: string }>("SELECT uses FROM unit_uses WHERE unit_id = ?", unit.id)[0];
  const called = readUses(stored?.uses ?? "[]").filter(([kind]) => kind !== "import");
  const names = [...new Set(called.map(([, name]) => name))];
  const rows = sql.all<NamedRow>(
    `SELECT ${DECLARATION_COLUMNS}, u.name FROM json_each(?1) j CROSS JOIN units u ON u.name = j.value COLLATE NOCASE AND u.name = j.value
     JOIN files f ON f.id = u.file_id WHERE u.id <> ?2 AND u.form = 'definition'
     ORDER BY f.path = ?3 DESC, j.key LIMIT 400`,
    JSON.stringify(names),
    unit.id,
    unit.path,
  );
  const byName = Map.groupBy(rows, (row) => row.name);
  return [...byName.values()].flatMap((same) => {
    const own = same.filter((row) => row.path === unit.path && row.root_id === unit.root_id);
    if (own.length > 0) return own;
    return same.length <= COMMON_NAME / 4 ? same : [];
  });
}

function testFiles(sql: SqlDriver, rows: readonly DeclarationRow[]): ReadonlySet<number> {
  const tests = sql.all<{ id: number }>(
    `SELECT u.id FROM units u JOIN files f ON f.id = u.file_id
     WHERE f.role = 'test' AND u.id IN (SELECT value FROM json_each(?))`,
    JSON.stringify(rows.map((row) => row.id)),
  );
  return new Set(tests.map((row) => row.id));
}

/** Test files that are named after the file: `auth.ts` → `auth.test.ts`, `test_auth.py`. Their longest unit stands for them. */
function testsByName(sql: SqlDriver, path: string, unit: NamedRow): DeclarationRow[] {
  const stem = path
    .slice(path.lastIndexOf("/") + 1)
    .replace(/\..*$/, "")
    .toLowerCase();
  if (stem.length < 3) return [];
  const files = sql
    .all<{ id: number; path: string }>(
      "SELECT id, path FROM files WHERE role = 'test' AND root_id = ? AND skipped IS NULL",
      unit.root_id,
    )
    .filter((file) => {
      const name = file.path.slice(file.path.lastIndexOf("/") + 1).toLowerCase();
      return name.replace(/\.[^.]+$/, "").replace(/^test[_-]|[._-]?(?:tests?|spec)$/g, "") === stem;
    });
  return sql.all<DeclarationRow>(
    `SELECT ${DECLARATION_COLUMNS} FROM units u JOIN files f ON f.id = u.file_id
     WHERE u.file_id IN (SELECT value FROM json_each(?)) GROUP BY u.file_id HAVING max(u.end_line - u.start_line) >= 0`,
    JSON.stringify(files.map((file) => file.id)),
  );
}

function firstOfItsId(): (row: DeclarationRow) => boolean {
  const seen = new Set<number>();
  return (row) => !seen.has(row.id) && seen.add(row.id) !== undefined;
}

/** Units that a search with the unit's own words finds. */
async function similarTo(engine: SearchEngine, unit: NamedRow): Promise<DeclarationRow[]> {
  const text = engine.sql.all<{ text: string }>(
    "SELECT text FROM chunks WHERE unit_id = ? ORDER BY ordinal LIMIT 1",
    unit.id,
  )[0]?.text;
  const query = [unit.symbol, unit.signature, ...rarestNames(text ?? "")].join(" ");
  const ranked = await rankedUnits(engine, { query });
  const ids = ranked.map((entry) => entry.candidate.unitId).filter((id) => id !== unit.id);
  return declarationRows(engine.sql, ids.slice(0, MAX_EACH));
}

/** Long names of a text, each once: they say more than short ones. */
function rarestNames(text: string): string[] {
  const names = [...new Set(identifiers(text))].filter((name) => name.length >= 5);
  return names.sort((a, b) => b.length - a.length).slice(0, 12);
}
