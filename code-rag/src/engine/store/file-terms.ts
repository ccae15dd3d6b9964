import type { SqlDriver } from "../ports.ts";
import { identifiers, terms } from "../tokenize/tokens.ts";
import type { FileUnits } from "../units/unit.ts";

/** Writes a file's entry in the index of whole files: every term of its path, its names and its text, each once. */
export function writeFileTerms(sql: SqlDriver, fileId: number, path: string, { units }: FileUnits): void {
  const names = new Set<string>();
  const body = new Set<string>();
  for (const unit of units) {
    for (const name of [unit.symbol, ...unit.defines]) addIdentifiers(names, name);
    for (const window of unit.windows) addIdentifiers(body, window.text);
  }
  sql.all(
    "INSERT OR REPLACE INTO file_fts (rowid, path, names, body) VALUES (?, ?, ?, ?)",
    fileId,
    terms(path).join(" "),
    distinctTerms(names),
    distinctTerms(body),
  );
}

export function deleteFileTerms(sql: SqlDriver, fileId: number): void {
  sql.all("DELETE FROM file_fts WHERE rowid = ?", fileId);
}

function addIdentifiers(into: Set<string>, text: string): void {
  for (const identifier of identifiers(text)) into.add(identifier);
}

function distinctTerms(written: ReadonlySet<string>): string {
  const distinct = new Set<string>();
  for (const identifier of written) for (const term of terms(identifier)) distinct.add(term);
  return [...distinct].join(" ");
}
