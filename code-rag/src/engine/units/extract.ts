/** The way from a file to its units. */

import { assemble } from "./assemble.ts";
import { readMatches } from "./declarations.ts";
import { languageOf } from "./language-of.ts";
import type { Grammar } from "./languages.ts";
import { LineIndex, withLineFeeds } from "./lines.ts";
import { markdownUnits } from "./markdown.ts";
import type { ParsePort } from "./parse-port.ts";
import { parseResiliently } from "./parse-resiliently.ts";
import { UNIT_QUERIES } from "./queries/index.ts";
import { sqlUnits } from "./sql.ts";
import { documentUnit, windowUnits } from "./text-units.ts";
import type { FileUnits, SourceFile } from "./unit.ts";

/**
 * Units of one file, for any text: what has no grammar, and what a grammar cannot digest, is split by lines.
 * @param parse without it, every file is split by lines: the way to go on after a grammar has crashed on this file.
 * @throws only what `parse.match` throws.
 */
export function extractUnits(file: SourceFile, parse: ParsePort | undefined): FileUnits {
  const language = languageOf(file);
  const lines = new LineIndex(file.text);
  const byLines = (units: FileUnits["units"]): FileUnits => ({ language: language.id, quality: "lines", units });
  if (file.text === "") return byLines([]);
  switch (language.splitter.by) {
    case "grammar":
      return (
        (parse && byGrammar(file.text, language.id, language.splitter.grammar, lines, parse)) ??
        byLines(windowUnits(file.text, lines))
      );
    case "document":
      return byLines(documentUnit(file, lines));
    case "markdown":
      return byLines(markdownUnits(file.text, lines));
    case "sql":
      return byLines(sqlUnits(file.text, lines));
    case "windows":
      return byLines(windowUnits(file.text, lines));
  }
}

function byGrammar(
  text: string,
  language: string,
  grammar: Grammar,
  lines: LineIndex,
  parse: ParsePort,
): FileUnits | undefined {
  const unitQuery = UNIT_QUERIES[grammar];
  const parsed = parseResiliently(withLineFeeds(text), grammar, unitQuery, parse);
  if (!parsed) return undefined;
  const units = assemble(text, readMatches(parsed.matches, text, unitQuery), unitQuery, lines);
  return { language, quality: parsed.hasError ? "recovered" : "tree", units };
}
