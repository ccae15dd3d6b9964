import type { SqlDriver } from "../ports.ts";

/** The newest summary of a unit's content, by whatever model wrote it. */
export function summaryOf(sql: SqlDriver, unitHash: string): string | undefined {
  return sql.all<{ text: string }>(
    "SELECT text FROM summaries WHERE hash = ? ORDER BY prompt_version DESC, model LIMIT 1",
    unitHash,
  )[0]?.text;
}

export function putSummary(sql: SqlDriver, unitHash: string, model: string, promptVersion: number, text: string): void {
  sql.all(
    "INSERT OR REPLACE INTO summaries (hash, model, prompt_version, text) VALUES (?, ?, ?, ?)",
    unitHash,
    model,
    promptVersion,
    text,
  );
}

export function hasSummaries(sql: SqlDriver): boolean {
  return sql.all("SELECT 1 FROM summaries LIMIT 1").length > 0;
}
