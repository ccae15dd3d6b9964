/**
 * `#if` around half of a block: `#ifdef A` / `if (x) {` / `#else` / `if (y) {` / `#endif`. No grammar can nest that.
 * Conditionals whose branches do not balance their braces are reduced to the first branch; all others stay.
 */

import { blank } from "./blank.ts";

interface Conditional {
  /** Offsets of the directive lines, `#if` first and `#endif` last, each with the end of its line. */
  readonly directives: { readonly start: number; readonly end: number }[];
}

const DIRECTIVE = /^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|elifdef|elifndef|else|endif)\b(?:\\\r?\n|.)*/gm;

export function firstBranches(text: string): string {
  const open: Conditional[] = [];
  let masked = text;
  for (const match of text.matchAll(DIRECTIVE)) {
    const line = { start: match.index, end: match.index + match[0].length };
    const word = match[1]!;
    if (word.startsWith("if")) {
      open.push({ directives: [line] });
      continue;
    }
    open.at(-1)?.directives.push(line);
    if (word !== "endif") continue;
    const closed = open.pop();
    if (closed && !isBalanced(masked, closed)) masked = reduced(masked, closed);
  }
  return masked;
}

function isBalanced(text: string, { directives }: Conditional): boolean {
  return directives.slice(1).every((next, at) => closesWhatItOpens(text.slice(directives[at]!.end, next.start)));
}

const NO_CODE = /\/\*[\s\S]*?\*\/|\/\/.*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/g;

function closesWhatItOpens(branch: string): boolean {
  let depth = 0;
  for (const brace of branch.replace(NO_CODE, "").match(/[{}]/g) ?? []) {
    depth += brace === "{" ? 1 : -1;
    if (depth < 0) return false;
  }
  return depth === 0;
}

/** Directives and all branches but the first are blanked. */
function reduced(text: string, { directives }: Conditional): string {
  const [opening, second] = directives;
  const closing = directives.at(-1)!;
  return (
    text.slice(0, opening!.start) +
    blank(text.slice(opening!.start, opening!.end)) +
    text.slice(opening!.end, second!.start) +
    blank(text.slice(second!.start, closing.end)) +
    text.slice(closing.end)
  );
}
