import type { SqlDriver } from "../ports.ts";
import { terms } from "../tokenize/tokens.ts";
import type { FileUnits } from "../units/unit.ts";

/** Writes a file's entry in the index of whole files: every term of its path, its names and its text, each once. */
export function writeFileTerms(sql: SqlDriver, fileId: number, path: string, { units }: FileUnits): void {
  const names = new Set<string>();
  const body = new Set<string>();
  for (const unit of units) {
    addTerms(names, unit.symbol);
    for (const name of unit.defines) addTerms(names, name);
    for (const window of unit.windows) addTerms(body, window.text);
  }
  sql.all(
    "INSERT OR REPLACE INTO file_fts (rowid, path, names, body) VALUES (?, ?, ?, ?)",
    fileId,
    terms(path).join(" "),
    [...names].join(" "),
    [...body].join(" "),
  );
}

export function deleteFileTerms(sql: SqlDriver, fileId: number): void {
  sql.all("DELETE FROM file_fts WHERE rowid = ?", fileId);
}

function addTerms(into: Set<string>, text: string): void {
  for (const term of terms(text)) into.add(term);
}
