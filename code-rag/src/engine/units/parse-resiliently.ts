/** Parsing that goes on where the grammar gives up: masks, repairs, and a fresh start at each top-level header. */

import type { Grammar } from "./languages.ts";
import type { MatchResult, ParsePort } from "./parse-port.ts";
import type { UnitQuery } from "./unit-query.ts";

/** `undefined` if the text is beyond the grammar's budget. */
export function parseResiliently(
  text: string,
  grammar: Grammar,
  language: UnitQuery,
  parse: ParsePort,
): MatchResult | undefined {
  const { query } = language;
  const masked = language.mask?.(text) ?? text;
  const first = parse.match({ grammar, query, text: masked });
  if (!first?.hasError) return first;
  return repaired(masked, first, grammar, language, parse) ?? first;
}

/** A second reading with the language's repairs, if that leaves less of the text in error. */
function repaired(
  masked: string,
  first: MatchResult,
  grammar: Grammar,
  language: UnitQuery,
  parse: ParsePort,
): MatchResult | undefined {
  const text = language.repair?.(masked) ?? masked;
  if (text === masked) return undefined;
  const second = parse.match({ grammar, query: language.query, text });
  return second && (!second.hasError || damage(second) < damage(first)) ? second : undefined;
}

/** Characters inside ERROR nodes. */
function damage({ matches }: MatchResult): number {
  let characters = 0;
  for (const match of matches)
    for (const { name, start, end } of match) if (name === "error") characters += end - start;
  return characters;
}
