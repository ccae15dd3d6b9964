/**
 * Semantic surrogates: a sentence or two about each unit, written by a model, searched and embedded beside the code.
 *
 * **Guarantees**: a summary is kept the moment it arrives, and never asked for twice for one content, model and prompt;
 * a failing model stops the run, not the index; the budget counts requests of this run.
 */

import type { AbortSignalLike, ChatModel, Digest, SqlDriver } from "../ports.ts";
import { writeChunkTerms } from "../store/chunk-terms.ts";
import { putSummary } from "../store/summaries.ts";
import { useCounts } from "../store/uses.ts";
import type { UnitKind } from "../units/unit.ts";
import { PROMPT_VERSION, summaryRequest, tidySummary } from "./prompt.ts";

export interface SummarizeOptions {
  readonly sql: SqlDriver;
  readonly digest: Digest;
  readonly model: ChatModel;
  /** Most requests of this run. */
  readonly budget: number;
  readonly concurrency: number;
  readonly signal?: AbortSignalLike;
  readonly onProgress?: (done: number, total: number) => void;
}

export interface SummarizeReport {
  readonly written: number;
  /** Units that still have none: over budget, or failed. */
  readonly remaining: number;
  /** Why the run stopped early; undefined if it did not. */
  readonly error: string | undefined;
}

/** Below this much text the code says it as shortly itself. */
const MIN_CHARACTERS = 120;
/** After this many failures in a row the model is taken to be out of order. */
const MAX_FAILURES = 3;

interface Wanted {
  readonly hash: string;
  readonly kind: UnitKind;
  readonly symbol: string;
  readonly path: string;
  readonly text: string;
}

/** Summarises units that lack a summary, those whose names are used most first. */
export async function summarize(options: SummarizeOptions): Promise<SummarizeReport> {
  const { sql, model, budget } = options;
  const hashes = missingSummaries(sql, model.id);
  const due = hashes.slice(0, Math.max(0, budget));
  let next = 0;
  let written = 0;
  let failures = 0;
  let error: string | undefined;
  const lane = async () => {
    while (next < due.length && error === undefined && !options.signal?.aborted) {
      const unit = loadUnit(sql, due[next++] as string);
      if (!unit) continue;
      let answer: string;
      try {
        answer = tidySummary(await model.complete(requestFor(options, unit)));
        if (answer === "") throw new Error("the model's answer was empty");
      } catch (reason) {
        if (++failures >= MAX_FAILURES || isFinal(reason)) error = (reason as Error).message;
        continue;
      }
      failures = 0;
      sql.transaction(() => keep(sql, unit.hash, model.id, answer));
      written++;
      options.onProgress?.(written, due.length);
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, options.concurrency) }, lane));
  return { written, remaining: hashes.length - written, error };
}

function requestFor(options: SummarizeOptions, unit: Wanted) {
  const request = summaryRequest(unit, options.digest(unit.text));
  return options.signal ? { ...request, signal: options.signal } : request;
}

/** Errors that the next unit would meet as well (a refused key, an unknown model) say so. */
function isFinal(reason: unknown): boolean {
  return (reason as { final?: boolean }).final === true;
}

function missingSummaries(sql: SqlDriver, model: string): string[] {
  const units = sql.all<{ hash: string; name: string }>(
    `SELECT u.hash, max(u.name) AS name
       FROM units u JOIN files f ON f.id = u.file_id
       WHERE u.kind NOT IN ('code', 'text', 'metadata') AND f.role NOT IN ('test', 'generated', 'vendored')
         AND (SELECT sum(length(c.text)) FROM chunks c WHERE c.unit_id = u.id) >= ${MIN_CHARACTERS}
         AND NOT EXISTS (SELECT 1 FROM summaries s WHERE s.hash = u.hash AND s.model = ?1 AND s.prompt_version = ?2)
       GROUP BY u.hash ORDER BY min(u.id)`,
    model,
    PROMPT_VERSION,
  );
  const counts = useCounts(
    sql,
    units.map((unit) => unit.name),
  );
  return units
    .map(({ hash, name }) => ({ hash, uses: counts(name) }))
    .sort((a, b) => b.uses - a.uses)
    .map(({ hash }) => hash);
}

function loadUnit(sql: SqlDriver, hash: string): Wanted | undefined {
  const rows = sql.all<Wanted>(
    `SELECT u.hash, u.kind, u.symbol, f.path, c.text FROM units u JOIN files f ON f.id = u.file_id
     JOIN chunks c ON c.unit_id = u.id
     WHERE u.id = (SELECT min(id) FROM units WHERE hash = ?) ORDER BY c.ordinal`,
    hash,
  );
  const first = rows[0];
  return first && { ...first, text: rows.map((row) => row.text).join("") };
}

/** Stores a summary, makes it searchable, and lets the chunks that it stands for be embedded anew. */
function keep(sql: SqlDriver, unitHash: string, model: string, text: string): void {
  putSummary(sql, unitHash, model, PROMPT_VERSION, text);
  const chunks = sql.all<{ id: number; hash: string }>(
    "SELECT c.id, c.hash FROM chunks c JOIN units u ON u.id = c.unit_id WHERE u.hash = ? AND c.ordinal = 0",
    unitHash,
  );
  for (const chunk of chunks) {
    writeChunkTerms(sql, chunk.id);
    sql.all("DELETE FROM vectors WHERE hash = ?", chunk.hash);
  }
}
