/** An overview of a repository that fits a token budget: its most central declarations, by file. */

import {
  DECLARATION_COLUMNS,
  type Declaration,
  type DeclarationRow,
  TEXT_KINDS,
  toDeclaration,
} from "../declaration.ts";
import { clamp, estimateTokens } from "../limits.ts";
import type { SqlDriver } from "../ports.ts";
import { pathMatcher } from "../search/filter.ts";
import { pathNames } from "../search/paths.ts";
import { readUses } from "../store/uses.ts";

export interface RepoMapRequest {
  /** 200…20,000; 2,000 if it is not given. */
  readonly maxTokens?: number;
  /** Paths, globs or names that matter more. */
  readonly focus?: readonly string[];
  readonly repo?: string;
}

export interface RepoMap {
  /** Files and declarations, as text within the budget. */
  readonly text: string;
  readonly symbols: readonly Declaration[];
}

interface MapRow extends DeclarationRow {
  readonly name: string;
  readonly file_id: number;
  readonly role: string;
}

const ITERATIONS = 15;
const DAMPING = 0.85;
/** Roles that explain a repository less than its sources do. */
const ROLE_FACTOR: Readonly<Record<string, number>> = {
  test: 0.1,
  example: 0.2,
  vendored: 0.1,
  generated: 0.1,
  typing: 0.5,
};

/**
 * Ranks files by who uses whose names (PageRank, as `aider` made popular for this use), spreads each file's rank over
 * its declarations by how often they are used, and takes the best until the budget is full.
 */
export function repoMap(sql: SqlDriver, request: RepoMapRequest): RepoMap {
  const budget = clamp(request.maxTokens, 200, 20_000, 2_000);
  const declarations = loadDeclarations(sql, request.repo);
  const edges = loadEdges(sql, declarations);
  const focus = focusOf(request.focus ?? [], declarations);
  const fileRank = pageRank(declarations, edges, focus);
  const scored = declarations
    .map((row) => ({ row, score: scoreOf(row, fileRank, edges.usesOf, focus) }))
    .sort((a, b) => b.score - a.score || a.row.id - b.row.id);
  const paths = pathNames(sql);
  const chosen: MapRow[] = [];
  const files = new Set<number>();
  let used = 0;
  for (const { row } of scored) {
    const heading = files.has(row.file_id) ? 0 : estimateTokens(`${paths.display(row.root_id, row.path)}:\n`);
    const cost = heading + estimateTokens(lineOf(row));
    if (used + cost > budget) break;
    used += cost;
    files.add(row.file_id);
    chosen.push(row);
  }
  return {
    text: render(chosen, (row) => paths.display(row.root_id, row.path)),
    symbols: chosen.map((row) => toDeclaration(paths, row)),
  };
}

function loadDeclarations(sql: SqlDriver, repo: string | undefined): MapRow[] {
  return sql.all<MapRow>(
    `SELECT ${DECLARATION_COLUMNS}, u.name, u.file_id, f.role FROM units u JOIN files f ON f.id = u.file_id
     JOIN roots r ON r.id = f.root_id
     WHERE u.name <> '' AND u.kind NOT IN (SELECT value FROM json_each(?1)) AND (?2 IS NULL OR r.name = ?2)`,
    JSON.stringify(TEXT_KINDS),
    repo ?? null,
  );
}

interface Edges {
  /** From a file to the files whose names it uses, with weights that sum to 1. */
  readonly out: ReadonlyMap<number, readonly { readonly to: number; readonly weight: number }[]>;
  /** How many files use a name. */
  readonly usesOf: ReadonlyMap<string, number>;
}

function loadEdges(sql: SqlDriver, declarations: readonly MapRow[]): Edges {
  const definedIn = new Map<string, Set<number>>();
  for (const row of declarations) {
    const files = definedIn.get(row.name) ?? new Set<number>();
    definedIn.set(row.name, files.add(row.file_id));
  }
  const usesOf = new Map<string, number>();
  const weights = new Map<number, Map<number, number>>();
  for (const [fileId, names] of usesByFile(sql)) {
    for (const [name, n] of names) {
      const targets = definedIn.get(name);
      if (!targets) continue;
      if (!targets.has(fileId)) usesOf.set(name, (usesOf.get(name) ?? 0) + 1);
      for (const target of targets) {
        if (target === fileId) continue;
        const from = weights.get(fileId) ?? new Map<number, number>();
        from.set(target, (from.get(target) ?? 0) + Math.sqrt(n) / targets.size);
        weights.set(fileId, from);
      }
    }
  }
  const out = new Map(
    [...weights].map(([from, targets]) => {
      const total = [...targets.values()].reduce((sum, weight) => sum + weight, 0);
      return [from, [...targets].map(([to, weight]) => ({ to, weight: weight / total }))] as const;
    }),
  );
  return { out, usesOf };
}

/** How often each file uses each name. */
function usesByFile(sql: SqlDriver): Map<number, Map<string, number>> {
  const byFile = new Map<number, Map<string, number>>();
  const rows = sql.all<{ file_id: number; uses: string }>(
    "SELECT u.file_id, n.uses FROM unit_uses n JOIN units u ON u.id = n.unit_id",
  );
  for (const row of rows) {
    const names = byFile.get(row.file_id) ?? new Map<string, number>();
    byFile.set(row.file_id, names);
    for (const [kind, name] of readUses(row.uses)) if (kind !== "import") names.set(name, (names.get(name) ?? 0) + 1);
  }
  return byFile;
}

type Focus = ReadonlySet<number>;

/** Files that the focus names, by path, glob or the name of a declaration. */
function focusOf(focus: readonly string[], declarations: readonly MapRow[]): Focus {
  const files = new Set<number>();
  for (const wanted of focus.filter((text) => text !== "")) {
    const matches = pathMatcher([wanted]);
    const lower = wanted.toLowerCase();
    for (const row of declarations) {
      if (matches(row.path) || row.path.startsWith(`${wanted}/`) || row.name.toLowerCase() === lower)
        files.add(row.file_id);
    }
  }
  return files;
}

function pageRank(declarations: readonly MapRow[], edges: Edges, focus: Focus): ReadonlyMap<number, number> {
  const files = [...new Set(declarations.map((row) => row.file_id))];
  const favoured = focus.size > 0 ? files.filter((file) => focus.has(file)) : files;
  const start = new Map(favoured.map((file) => [file, 1 / favoured.length]));
  let rank = new Map(files.map((file) => [file, 1 / files.length]));
  for (let i = 0; i < ITERATIONS; i++) {
    const next = new Map(files.map((file) => [file, (1 - DAMPING) * (start.get(file) ?? 0)]));
    let lost = 0;
    for (const [file, value] of rank) {
      const targets = edges.out.get(file);
      if (!targets) lost += value;
      else for (const { to, weight } of targets) next.set(to, (next.get(to) ?? 0) + DAMPING * value * weight);
    }
    for (const [file, share] of start) next.set(file, (next.get(file) ?? 0) + DAMPING * lost * share);
    rank = next;
  }
  return rank;
}

function scoreOf(
  row: MapRow,
  fileRank: ReadonlyMap<number, number>,
  usesOf: ReadonlyMap<string, number>,
  focus: Focus,
): number {
  const used = Math.log2(2 + (usesOf.get(row.name) ?? 0));
  const top = row.symbol === row.name ? 1.5 : 1;
  return (
    (fileRank.get(row.file_id) ?? 0) * used * top * (ROLE_FACTOR[row.role] ?? 1) * (focus.has(row.file_id) ? 3 : 1)
  );
}

function lineOf(row: MapRow): string {
  return `  ${row.start_line}: ${row.signature || `${row.kind} ${row.symbol}`}\n`;
}

function render(rows: readonly MapRow[], display: (row: MapRow) => string): string {
  const byFile = Map.groupBy(rows, display);
  return [...byFile]
    .map(
      ([path, own]) =>
        `${path}:\n${own
          .sort((a, b) => a.start_line - b.start_line)
          .map(lineOf)
          .join("")}`,
    )
    .join("");
}
