/** The declaration record: the same fields in every answer. */

import type { SqlDriver } from "./ports.ts";
import type { PathNames } from "./search/paths.ts";
import type { UnitKind } from "./units/unit.ts";

export interface Declaration {
  readonly path: string;
  readonly start_line: number;
  readonly end_line: number;
  readonly kind: UnitKind;
  readonly symbol: string;
  readonly signature: string;
}

export interface DeclarationRow {
  readonly id: number;
  readonly root_id: number;
  readonly path: string;
  readonly start_line: number;
  readonly end_line: number;
  readonly kind: UnitKind;
  readonly symbol: string;
  readonly signature: string;
}

/** Columns of a `DeclarationRow`, for a query that joins units as `u` with files as `f`. */
export const DECLARATION_COLUMNS = "u.id, f.root_id, f.path, u.start_line, u.end_line, u.kind, u.symbol, u.signature";

/** Kinds that are pieces of text, not declarations. */
export const TEXT_KINDS: readonly UnitKind[] = ["code", "text", "section", "metadata"];

export function toDeclaration(paths: PathNames, row: DeclarationRow): Declaration {
  return {
    path: paths.display(row.root_id, row.path),
    start_line: row.start_line,
    end_line: row.end_line,
    kind: row.kind,
    symbol: row.symbol,
    signature: row.signature,
  };
}

/** Declarations by unit id, in the order of the ids; units that are gone are left out. */
export function declarationRows(sql: SqlDriver, unitIds: readonly number[]): DeclarationRow[] {
  return sql.all<DeclarationRow>(
    `SELECT ${DECLARATION_COLUMNS} FROM json_each(?) j CROSS JOIN units u ON u.id = j.value
     JOIN files f ON f.id = u.file_id ORDER BY j.key`,
    JSON.stringify(unitIds),
  );
}
