/** Who owns which text: every character of the file goes to exactly one unit. */

import type { Lead } from "./declarations.ts";
import { isCallable, isType, type Node } from "./nesting.ts";
import type { Span } from "./unit.ts";
import type { UnitQuery } from "./unit-query.ts";
import { WINDOW_CHARACTERS } from "./windows.ts";

/** A unit-to-be: a declaration (`node` is its index), or code between declarations (`node` is -1), and its text. */
export interface Holding {
  readonly node: number;
  readonly spans: readonly Span[];
}

interface Segment {
  start: number;
  end: number;
  /** Index of a node, or -1 for code outside of all. */
  owner: number;
  /** The first segment of its owner: the owner begins here. */
  readonly opens: boolean;
}

/**
 * - A member without a body is text of the type around it; so is whatever is local to a function that fits one
 *   window. They hold no span.
 * - Indentation before a unit, and the rest of its last line (`;`, `,`, a comment), are the unit's.
 * - White space between units goes to the one above; so does punctuation outside of all units.
 * @param nodes as `nest` gives them.
 * @returns in the order of the text; a unit comes before the units inside it.
 */
export function ownership(
  text: string,
  nodes: readonly Node[],
  leads: readonly Lead[],
  language: UnitQuery,
): Holding[] {
  const segments = settle(text, moveBoundaries(text, cut(text.length, nodes, language), leads));
  const spans = nodes.map((): Span[] => []);
  const holdings: (Holding & { readonly at: number })[] = nodes.map((node, index) => ({
    node: index,
    spans: spans[index]!,
    at: node.start,
  }));
  for (const { start, end, owner } of segments) {
    if (owner < 0) holdings.push({ node: -1, spans: [{ start, end }], at: start });
    else spans[owner]!.push({ start, end });
  }
  // Stable: nodes that start together keep their order. Code between declarations never starts where one does.
  return holdings.sort((a, b) => a.at - b.at);
}

/** Cuts the text where units begin and end. */
function cut(length: number, nodes: readonly Node[], language: UnitQuery): Segment[] {
  const owns = ownsText(nodes, language);
  const segments: Segment[] = [];
  const begun = new Set<number>();
  const open: number[] = [];
  let at = 0;
  const emit = (end: number) => {
    const owner = open.at(-1) ?? -1;
    if (end > at) segments.push({ start: at, end, owner, opens: owner >= 0 && !begun.has(owner) });
    begun.add(owner);
    at = end;
  };
  const closeUpTo = (offset: number) => {
    for (let top = open.at(-1); top !== undefined && nodes[top]!.end <= offset; top = open.at(-1)) {
      emit(nodes[top]!.end);
      open.pop();
    }
  };
  nodes.forEach((node, index) => {
    if (!owns[index]) return;
    closeUpTo(node.start);
    emit(node.start);
    open.push(index);
  });
  closeUpTo(length);
  emit(length);
  return segments;
}

function ownsText(nodes: readonly Node[], language: UnitQuery): boolean[] {
  const insideWhole: boolean[] = [];
  const owns: boolean[] = [];
  nodes.forEach((node, index) => {
    const local = node.parent >= 0 && insideWhole[node.parent] === true;
    insideWhole[index] = local || (isCallable(node.kind) && node.end - node.start <= WINDOW_CHARACTERS);
    const outer = nodes[node.parent];
    const isMember = node.declaration.form === "declaration" && outer !== undefined && isType(outer.kind, language);
    owns[index] = !local && !isMember;
  });
  return owns;
}

/** Moves each boundary to where a line breaks, if only white space, `;` or `,` or a comment stands between. */
function moveBoundaries(text: string, segments: Segment[], leads: readonly Lead[]): Segment[] {
  const commentEnd = new Map(leads.map(({ start, end }) => [start, end]));
  for (let at = 0; at + 1 < segments.length; at++) {
    const left = segments[at]!;
    const right = segments[at + 1]!;
    const boundary = right.opens
      ? Math.max(left.start, lineStart(text, right.start))
      : Math.min(right.end, restOfLine(text, left.end, commentEnd));
    left.end = boundary;
    right.start = boundary;
  }
  return segments.filter(({ start, end }) => end > start);
}

/** Start of the line if only blanks stand before `offset`, else `offset`. */
function lineStart(text: string, offset: number): number {
  let start = offset;
  while (text[start - 1] === " " || text[start - 1] === "\t") start--;
  const before = text[start - 1];
  return before === undefined || before === "\n" || before === "\r" ? start : offset;
}

/** Past the separators and a comment after `offset`, and past its line break if that is all that the line has. */
function restOfLine(text: string, offset: number, commentEnd: ReadonlyMap<number, number>): number {
  const blanks = /[ \t]*/y;
  const skipBlanks = (from: number) => {
    blanks.lastIndex = from;
    return from + (blanks.exec(text)?.[0].length ?? 0);
  };
  let kept = offset;
  let at = skipBlanks(offset);
  while (text[at] === ";" || text[at] === ",") {
    kept = at + 1;
    at = skipBlanks(kept);
  }
  const afterComment = commentEnd.get(at);
  const end = skipBlanks(afterComment ?? at);
  const lineBreak = /^(?:\r\n?|\n|$)/.exec(text.slice(end, end + 2));
  // A comment followed by code on its line leads that code.
  return lineBreak ? end + lineBreak[0].length : kept;
}

/** Segments without a word of their own join their neighbour; neighbours of one owner become one. */
function settle(text: string, segments: readonly Segment[]): Segment[] {
  const settled: Segment[] = [];
  for (const segment of segments) {
    const own = text.slice(segment.start, segment.end);
    const empty = segment.owner < 0 ? !hasWords(own) : own.trim() === "";
    const previous = settled.at(-1);
    if (previous && (empty || previous.owner === segment.owner)) previous.end = segment.end;
    else settled.push({ ...segment });
  }
  const [first, second] = settled;
  if (first && second && first.owner < 0 && !hasWords(text.slice(first.start, first.end))) {
    second.start = first.start;
    settled.shift();
  }
  return settled;
}

/** `#endif`, `#else` and Scala's `end Square` are punctuation: they close what stands above. */
function hasWords(code: string): boolean {
  return /[\p{L}\p{N}_]/u.test(code.replace(/^[ \t]*#[ \t]*(?:endif|else)\b.*$|^end[ \t]+\w+[ \t]*$/gm, ""));
}
