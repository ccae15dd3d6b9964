import { realpathSync } from "node:fs";
import { join, sep } from "node:path";
import { clamp } from "../../engine/limits.ts";
import type { SqlDriver } from "../../engine/ports.ts";
import { findFile } from "../../engine/tools/find-file.ts";
import { CodeRagError } from "../errors.ts";
import { readSource } from "./read-source.ts";
import { isSecretFile } from "./secrets.ts";

export interface PageRequest {
  readonly path: string;
  /** First line, from 1. */
  readonly offset?: number;
  /** Lines, 1…500. */
  readonly limit?: number;
  readonly repo?: string;
}

export interface Page {
  readonly path: string;
  readonly language: string;
  readonly start_line: number;
  readonly end_line: number;
  readonly total_lines: number;
  /** `offset` of the next page; null at the end. */
  readonly next_offset: number | null;
  /** Lines with their numbers. */
  readonly text: string;
}

export const PAGE_LINES = 500;
/** A page stays readable even where a line is a megabyte. */
const MAX_LINE_CHARACTERS = 2_000;

/**
 * A page of a file, with line numbers. Only files that the index lists are read: so no ignored file, no key, nothing
 * outside the root; and the real path must still be inside it, whatever the tree has become since.
 */
export async function readPage(sql: SqlDriver, request: PageRequest): Promise<Page> {
  const file = request.path.includes("\0") ? undefined : findFile(sql, request.path, request.repo);
  if (!file || isSecretFile(file.path) || !staysInside(file.root.location, file.path)) {
    throw new CodeRagError(
      "not_found",
      `The index has no file ${JSON.stringify(request.path)}. list_sources and list_docs name them.`,
    );
  }
  const source = await readSource(file.root.location, { path: file.path, size: 0, modifiedMs: 0 });
  if (typeof source === "string")
    throw new CodeRagError("not_found", `${file.display} has changed and cannot be shown (${source}).`);
  const lines = source.text.split(/\r\n|\n/);
  if (lines.at(-1) === "") lines.pop();
  const start = clamp(request.offset, 1, Math.max(1, lines.length), 1);
  const end = Math.min(lines.length, start + clamp(request.limit, 1, PAGE_LINES, PAGE_LINES) - 1);
  const width = String(end).length;
  return {
    path: file.display,
    language: file.language,
    start_line: start,
    end_line: end,
    total_lines: lines.length,
    next_offset: end < lines.length ? end + 1 : null,
    text: lines
      .slice(start - 1, end)
      .map((line, index) => `${String(start + index).padStart(width)}  ${shortened(line)}`)
      .join("\n"),
  };
}

function shortened(line: string): string {
  return line.length <= MAX_LINE_CHARACTERS
    ? line
    : `${line.slice(0, MAX_LINE_CHARACTERS)}… (${line.length} characters)`;
}

function staysInside(root: string, path: string): boolean {
  try {
    const real = realpathSync(join(root, path));
    const top = realpathSync(root);
    return real.startsWith(top.endsWith(sep) ? top : top + sep) && !real.slice(top.length).split(sep).includes(".git");
  } catch {
    return false;
  }
}
