/**
 * Documentation sentences as questions for the functions that they were written for. Comments are taken out of what is
 * indexed, so that the answer has to be found by the code.
 */

import type { Embedder } from "../../src/engine/ports.ts";
import { fileExaminer } from "../../src/engine/prepare/examine.ts";
import { migrate } from "../../src/engine/store/migrate.ts";
import { ensureRoot } from "../../src/engine/store/roots.ts";
import { embedMissing } from "../../src/engine/sync/embed-missing.ts";
import { syncRoot } from "../../src/engine/sync/sync-root.ts";
import { extractUnits } from "../../src/engine/units/extract.ts";
import type { ParsePort } from "../../src/engine/units/parse-port.ts";
import type { FileUnits, SourceFile } from "../../src/engine/units/unit.ts";
import { sha256 } from "../../src/node/host/digest.ts";
import { NodeSqlite } from "../../src/node/sqlite/node-sqlite.ts";
import { sentences } from "../../train/pairs/sentences.ts";
import { withoutDocs } from "../../train/pairs/without-docs.ts";

export interface DocQuestion {
  readonly sentence: string;
  readonly path: string;
  /** Lines of the function. */
  readonly startLine: number;
  readonly endLine: number;
}

const CALLABLE: ReadonlySet<string> = new Set(["function", "method", "constructor"]);

/** The same units without their documentation. */
export function stripped(file: FileUnits): FileUnits {
  return {
    ...file,
    units: file.units.map((unit) => ({
      ...unit,
      doc: "",
      windows: unit.windows.map((window) => ({ ...window, text: withoutDocs(window.text, unit.doc) })),
    })),
  };
}

/** First sentences of documented functions that have a body; a sentence that stands twice is no question. */
export function questionsOf(path: string, file: FileUnits): DocQuestion[] {
  return file.units.flatMap((unit) => {
    const sentence = sentences(unit.doc)[0];
    if (!sentence || !CALLABLE.has(unit.kind) || unit.windows.length === 0) return [];
    const own = unit.windows.map((window) => withoutDocs(window.text, unit.doc)).join("");
    return own.trim().length < 60 ? [] : [{ sentence, path, startLine: unit.startLine, endLine: unit.endLine }];
  });
}

/** An index in memory over files without their documentation, and the questions that it left. */
export async function indexWithoutDocs(
  files: readonly SourceFile[],
  parse: ParsePort,
  embedder: Embedder | undefined,
): Promise<{ readonly sql: NodeSqlite; readonly questions: DocQuestion[] }> {
  const sql = NodeSqlite.inMemory();
  migrate(sql);
  const texts = new Map(files.map((file) => [file.path, file.text]));
  const questions: DocQuestion[] = [];
  await syncRoot({
    sql,
    rootId: ensureRoot(sql, { location: "/package", name: "package" }).id,
    files: files.map(({ path }) => ({ path, size: 0, modifiedMs: 0 })),
    examine: fileExaminer({
      read: async ({ path }) => ({ text: texts.get(path) as string }),
      extract: async (file) => {
        const units = extractUnits(file, parse);
        questions.push(...questionsOf(file.path, units));
        return stripped(units);
      },
      digest: sha256,
    }),
    extractorId: "1",
    concurrency: 1,
    now: () => 100_000,
  });
  if (embedder) await embedMissing(sql, embedder);
  const times = Map.groupBy(questions, (question) => question.sentence);
  return { sql, questions: questions.filter(({ sentence }) => times.get(sentence)?.length === 1) };
}

/** Rank (from 1) of the first result inside the function that is asked for; Infinity without one. */
export function rankOf(
  question: DocQuestion,
  results: readonly { readonly path: string; readonly startLine: number }[],
): number {
  // A chunk ends with the blank lines below its function.
  const index = results.findIndex(
    ({ path, startLine }) => path === question.path && startLine >= question.startLine && startLine <= question.endLine,
  );
  return index < 0 ? Number.POSITIVE_INFINITY : index + 1;
}
