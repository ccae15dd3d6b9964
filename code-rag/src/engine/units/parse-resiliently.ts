/** Parsing that goes on where the grammar gives up: masks, repairs, and a fresh start at each top-level header. */

import type { Grammar } from "./languages.ts";
import { lostTypes } from "./lost-types.ts";
import type { Match, MatchResult, ParsePort } from "./parse-port.ts";
import type { Span, UnitKind } from "./unit.ts";
import type { Headers, UnitQuery } from "./unit-query.ts";

type Parse = (text: string) => MatchResult | undefined;

/** `undefined` if the text is beyond the grammar's budget. */
export function parseResiliently(
  text: string,
  grammar: Grammar,
  language: UnitQuery,
  port: ParsePort,
): MatchResult | undefined {
  const parse: Parse = (source) => port.match({ grammar, query: language.query, text: source });
  const masked = language.mask?.(text) ?? text;
  const first = parse(masked);
  if (!first?.hasError) return first;
  const best = repaired(masked, first, language, parse) ?? first;
  if (language.headers) return restartedAtHeaders(masked, best, language.headers, parse) ?? best;
  if (!best.hasError || !language.types) return best;
  return { ...best, matches: [...best.matches, ...lostTypes(masked, best.matches, language.types)] };
}

/** A second reading with the language's repairs, if that leaves less of the text in error. */
function repaired(masked: string, first: MatchResult, language: UnitQuery, parse: Parse): MatchResult | undefined {
  const text = language.repair?.(masked) ?? masked;
  if (text === masked) return undefined;
  const second = parse(text);
  return second && (!second.hasError || damage(second) < damage(first)) ? second : undefined;
}

/** Characters inside ERROR nodes, and how many of these and of MISSING nodes there are. */
function damage({ matches }: MatchResult): number {
  let characters = 0;
  for (const match of matches)
    for (const { name, start, end } of match) if (name === "error") characters += end - start + 1;
  return characters;
}

interface Header {
  readonly start: number;
  readonly name: Span;
  readonly kind: UnitKind;
}

/**
 * Each stretch from one header to the next, read alone, if the tree has lost a header or put it inside another unit.
 * A stretch that still gives no declaration is one by its header.
 */
function restartedAtHeaders(text: string, tree: MatchResult, headers: Headers, parse: Parse): MatchResult | undefined {
  const found = findHeaders(text, headers);
  if (found.every((header) => isIntact(header, tree.matches))) return undefined;
  const matches: Match[] = [...(parse(text.slice(0, found[0]!.start))?.matches ?? [])];
  found.forEach((header, at) => {
    const end = found[at + 1]?.start ?? text.length;
    const stretch = shifted(parse(text.slice(header.start, end))?.matches ?? [], header.start);
    matches.push(...stretch);
    if (!stretch.some((match) => declares(match, header))) {
      matches.push([
        { name: header.kind, start: header.start, end },
        { name: "name", ...header.name },
      ]);
    }
  });
  return { matches, hasError: true };
}

function findHeaders(text: string, { pattern, kinds, hidden }: Headers): Header[] {
  const hiding = [...text.matchAll(hidden)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
  }));
  const headers: Header[] = [];
  let at = 0;
  for (const match of text.matchAll(pattern)) {
    const { keyword, name } = match.groups as { keyword: string; name: string };
    const end = match.index + match[0].length;
    while (at < hiding.length && hiding[at]!.end <= match.index) at++;
    const isHidden = at < hiding.length && hiding[at]!.start < match.index;
    if (!isHidden) headers.push({ start: match.index, name: { start: end - name.length, end }, kind: kinds[keyword]! });
  }
  return headers;
}

/** The tree knows the declaration, and has it inside no other. */
function isIntact(header: Header, matches: readonly Match[]): boolean {
  return (
    matches.some((match) => declares(match, header)) &&
    !matches.some((match) => isDeclaration(match) && match[0]!.start < header.start && header.start < match[0]!.end)
  );
}

function declares(match: Match, header: Header): boolean {
  return match.some(({ name, start }) => name === "name" && start === header.name.start);
}

function isDeclaration(match: Match): boolean {
  return match.some(({ name }) => name === "name");
}

function shifted(matches: readonly Match[], by: number): Match[] {
  return matches.map((match) => match.map(({ name, start, end }) => ({ name, start: start + by, end: end + by })));
}
