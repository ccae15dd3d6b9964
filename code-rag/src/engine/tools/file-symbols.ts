import { DECLARATION_COLUMNS, type Declaration, type DeclarationRow, toDeclaration } from "../declaration.ts";
import type { SqlDriver } from "../ports.ts";
import { pathNames } from "../search/paths.ts";
import { findFile } from "./find-file.ts";

/** Declarations of one file in their order; undefined where the index does not list the file. Headings count. */
export function fileSymbols(sql: SqlDriver, path: string, repo?: string): Declaration[] | undefined {
  const file = findFile(sql, path, repo);
  if (!file) return undefined;
  const paths = pathNames(sql);
  return sql
    .all<DeclarationRow>(
      `SELECT ${DECLARATION_COLUMNS} FROM units u JOIN files f ON f.id = u.file_id
       WHERE u.file_id = ? AND u.kind NOT IN ('code', 'text', 'metadata') ORDER BY u.start_line, u.ordinal`,
      file.id,
    )
    .map((row) => toDeclaration(paths, row));
}
