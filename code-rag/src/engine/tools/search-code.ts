import {
  DECLARATION_COLUMNS,
  type Declaration,
  type DeclarationRow,
  TEXT_KINDS,
  toDeclaration,
} from "../declaration.ts";
import { clamp } from "../limits.ts";
import type { SqlDriver } from "../ports.ts";
import { substringHits } from "../search/names.ts";
import { pathNames } from "../search/paths.ts";
import { splitIdentifier } from "../tokenize/identifier.ts";

export interface SearchCodeRequest {
  readonly query: string;
  /** 1…100; 20 if it is not given. */
  readonly limit?: number;
  readonly repo?: string;
}

const MAX_DECLARATIONS = 100;
/** Names looked at before they are ordered. */
const POOL = 400;

/**
 * Declarations by name: exact names first, then qualified names that end so, then names that contain the query's words
 * or letters. A one-letter query finds that name, not every name with the letter.
 */
export function searchCode(sql: SqlDriver, request: SearchCodeRequest): Declaration[] {
  const wanted = request.query.trim();
  if (wanted.length === 0) return [];
  const limit = clamp(request.limit, 1, MAX_DECLARATIONS, 20);
  const paths = pathNames(sql);
  const rows = [...exactRows(sql, wanted, request.repo), ...containingRows(sql, wanted, request.repo)];
  const unique = new Map(rows.map((row) => [row.id, row]));
  const scored = [...unique.values()]
    .map((row) => ({ row, score: closeness(wanted, row.symbol) }))
    .filter(({ score }) => score > 0);
  scored.sort((a, b) => b.score - a.score || a.row.symbol.length - b.row.symbol.length || a.row.id - b.row.id);
  return scored.slice(0, limit).map(({ row }) => toDeclaration(paths, row));
}

function exactRows(sql: SqlDriver, wanted: string, repo: string | undefined): DeclarationRow[] {
  const own = lastName(wanted);
  return sql.all<DeclarationRow>(
    `SELECT ${DECLARATION_COLUMNS} FROM units u JOIN files f ON f.id = u.file_id JOIN roots r ON r.id = f.root_id
     WHERE u.name = ?1 COLLATE NOCASE AND u.kind NOT IN (SELECT value FROM json_each(?2)) AND (?3 IS NULL OR r.name = ?3)
     ORDER BY u.form, u.id LIMIT ${POOL}`,
    own,
    JSON.stringify(TEXT_KINDS),
    repo ?? null,
  );
}

function containingRows(sql: SqlDriver, wanted: string, repo: string | undefined): DeclarationRow[] {
  const words = wanted.split(/[^\p{L}\p{N}_$]+/u).filter((word) => word.length >= 3);
  const parts = words.flatMap((word) => [word, ...splitIdentifier(word).filter((part) => part.length >= 3)]);
  const hits = substringHits(sql, parts, { fileIds: undefined, kind: undefined }, POOL);
  return sql.all<DeclarationRow>(
    `SELECT ${DECLARATION_COLUMNS} FROM chunks c JOIN units u ON u.id = c.unit_id JOIN files f ON f.id = u.file_id
     JOIN roots r ON r.id = f.root_id
     WHERE c.id IN (SELECT value FROM json_each(?1)) AND u.kind NOT IN (SELECT value FROM json_each(?2))
       AND (?3 IS NULL OR r.name = ?3)`,
    JSON.stringify(hits.map((hit) => hit.chunkId)),
    JSON.stringify(TEXT_KINDS),
    repo ?? null,
  );
}

/** The own name in `Class.method`, `ns::name`, `name()`. */
function lastName(wanted: string): string {
  return (
    wanted
      .replace(/\(.*$/s, "")
      .split(/::|[.#/\\]/)
      .at(-1) || wanted
  );
}

/** 0: no match. Exact own name 4, same letters 3, qualified tail 5, contained 1–2 by share. */
function closeness(wanted: string, symbol: string): number {
  const own = lastName(symbol);
  const plainWanted = wanted.replace(/\(.*$/s, "");
  if (symbol === plainWanted) return 6;
  if (plainWanted !== lastName(plainWanted) && sameTail(symbol, plainWanted)) return 5;
  if (own === plainWanted) return 4;
  if (own.toLowerCase() === lastName(plainWanted).toLowerCase()) return 3;
  const letters = symbol.toLowerCase();
  const words = plainWanted
    .toLowerCase()
    .split(/[^\p{L}\p{N}_$]+/u)
    .filter((word) => word.length > 1);
  const parts = words.flatMap((word) => (letters.includes(word) ? [word] : splitIdentifier(word)));
  const found = parts.filter((part) => part.length > 1 && letters.includes(part));
  return parts.length === 0 ? 0 : (2 * found.length) / (parts.length + 1);
}

function sameTail(symbol: string, wanted: string): boolean {
  const plain = (text: string) => text.toLowerCase().replaceAll("::", ".").replaceAll("#", ".");
  return plain(symbol).endsWith(plain(wanted));
}
