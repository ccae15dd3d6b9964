import { summarize } from "../../engine/summaries/summarize.ts";
import { createModel } from "../models/create-model.ts";
import type { ModelSettings } from "../models/settings.ts";
import type { NodeSqlite } from "../sqlite/node-sqlite.ts";
import { sha256 } from "./digest.ts";

const CONCURRENCY = 4;

/** Writes summaries with the configured model, if there is one; gives a warning where it stopped early. */
export async function summarizeIndex(
  sql: NodeSqlite,
  settings: ModelSettings,
  signal: AbortSignal,
  onProgress: (done: number, total: number) => void,
): Promise<string | undefined> {
  const model = await createModel(settings);
  if (!model) return undefined;
  const report = await summarize({
    sql,
    digest: sha256,
    model,
    budget: settings.summaryBudget,
    concurrency: CONCURRENCY,
    signal,
    onProgress,
  });
  if (report.error === undefined) return undefined;
  return `Summaries stopped after ${report.written} (${report.error}); ${report.remaining} are left for the next run.`;
}
