/**
 * Types that an error in their body has cost their node: the grammar still finds the methods, but they have no owner.
 * The header is found by its words, the end by its braces.
 */

import type { Match } from "./parse-port.ts";
import type { Span } from "./unit.ts";
import type { Headers } from "./unit-query.ts";

/** Comments and strings of the languages with braces. */
export const C_LIKE_HIDDEN =
  /\/\*[\s\S]*?\*\/|\/\/.*|"""[\s\S]*?"""|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n]){1,10}'|`(?:\\[\s\S]|[^`\\])*`/g;

/** A line that begins, after modifiers, with one of the keywords and a name. */
export function typeHeader(...keywords: string[]): RegExp {
  return new RegExp(
    String.raw`^[ \t]*(?:[\w-]+[ \t]+){0,6}?(?<keyword>${keywords.join("|")})[ \t]+(?<name>[A-Za-z_]\w*)`,
    "gm",
  );
}

/** What may not stand between a header and its brace: then the brace is another declaration's. */
const NEXT_DECLARATION = /\b(?:fun|func|function|def|class|interface|object|val|var|struct|enum|import|trait|record)\b/;

interface Bracket {
  readonly sign: string;
  readonly at: number;
}

/** Matches for the types that are missing in `matches`; empty if there are none. */
export function lostTypes(text: string, matches: readonly Match[], headers: Headers): Match[] {
  const known = new Set(
    matches.flatMap((match) => match.filter(({ name }) => name === "name").map(({ start }) => start)),
  );
  const hidden = [...text.matchAll(headers.hidden)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
  }));
  const lost = [...text.matchAll(headers.pattern)].filter((match) => {
    const nameStart = match.index + match[0].length - match.groups!.name!.length;
    return !known.has(nameStart) && !isInside(match.index + match[0].search(/\S/), hidden);
  });
  if (lost.length === 0) return [];

  const brackets = bracketsOf(text, hidden);
  return lost.flatMap((match): Match[] => {
    const { keyword, name } = match.groups as { keyword: string; name: string };
    const start = match.index + match[0].search(/\S/);
    const end = match.index + match[0].length;
    const body = bodyAfter(text, end, brackets);
    if (!body) return [];
    return [
      [
        { name: headers.kinds[keyword]!, start, end: body.end },
        { name: "name", start: end - name.length, end },
        { name: "body", ...body },
      ],
    ];
  });
}

function bracketsOf(text: string, hidden: readonly Span[]): Bracket[] {
  const brackets: Bracket[] = [];
  let at = 0;
  for (const match of text.matchAll(/[{}();]/g)) {
    while (at < hidden.length && hidden[at]!.end <= match.index) at++;
    if (at >= hidden.length || hidden[at]!.start > match.index) brackets.push({ sign: match[0], at: match.index });
  }
  return brackets;
}

/** The braces after a header, if they are the header's own. */
function bodyAfter(text: string, end: number, brackets: readonly Bracket[]): Span | undefined {
  let at = brackets.findIndex((bracket) => bracket.at >= end);
  let parentheses = 0;
  for (; at >= 0 && at < brackets.length; at++) {
    const { sign } = brackets[at]!;
    if (sign === "(") parentheses++;
    else if (sign === ")") parentheses--;
    else if (parentheses === 0) break;
  }
  const open = brackets[at];
  if (open?.sign !== "{" || NEXT_DECLARATION.test(text.slice(end, open.at).replace(/\([\s\S]*\)/, "")))
    return undefined;
  let depth = 0;
  for (; at < brackets.length; at++) {
    const { sign, at: offset } = brackets[at]!;
    if (sign === "{") depth++;
    else if (sign === "}" && --depth === 0) return { start: open.at, end: offset + 1 };
  }
  return undefined;
}

function isInside(offset: number, spans: readonly Span[]): boolean {
  return spans.some(({ start, end }) => start < offset && offset < end);
}
