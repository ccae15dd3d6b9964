/** Cutting owned text into windows, without losing or repeating a character. */

import type { LineIndex } from "./lines.ts";
import type { Span, Window } from "./unit.ts";

/** About 80 lines: what an embedding model, a summary and a reader's eye still take in as one. */
export const WINDOW_CHARACTERS = 3_000;

/** A whole that must not be cut (a fence of Markdown) may make a window larger, up to this. */
const LARGEST_WHOLE = 8 * WINDOW_CHARACTERS;

/**
 * Windows over the spans that a unit owns. One window if they fit; else they are cut at blank lines, at the shallowest
 * indentation that keeps windows at least half full, and inside a line only where the line itself is too long.
 * @param spans in order, not overlapping, not empty.
 * @param wholes ranges that are not cut, in order.
 */
export function toWindows(
  text: string,
  spans: readonly Span[],
  lines: LineIndex,
  wholes: readonly Span[] = [],
): Window[] {
  const windows: Window[] = [];
  let pending: Span[] = [];
  let room = WINDOW_CHARACTERS;
  const flush = () => {
    if (pending.length > 0) windows.push(toWindow(text, pending, lines));
    pending = [];
    room = WINDOW_CHARACTERS;
  };
  for (const span of spans) {
    let start = span.start;
    while (start < span.end) {
      if (span.end - start <= room) {
        pending.push({ start, end: span.end });
        room -= span.end - start;
        break;
      }
      // A window that is more than half full is closed rather than filled up with the head of the next span.
      if (room < WINDOW_CHARACTERS / 2) {
        flush();
        continue;
      }
      const end = Math.min(span.end, besideWholes(cutPoint(text, start, start + room, wholes), start, wholes));
      pending.push({ start, end });
      start = end;
      flush();
    }
  }
  flush();
  return withoutBlanks(text, windows, lines);
}

/** Moves a cut that falls into a whole to the whole's start, or to its end where the window starts with it. */
function besideWholes(cut: number, start: number, wholes: readonly Span[]): number {
  const whole = wholes.find((one) => one.start < cut && cut < one.end);
  if (!whole) return cut;
  if (whole.start > start) return whole.start;
  return whole.end - start <= LARGEST_WHOLE ? whole.end : cut;
}

/** The best place to cut in the second half of `start`…`limit`: the offset where the next window begins. */
function cutPoint(text: string, start: number, limit: number, wholes: readonly Span[]): number {
  // Searched in a copy of the window, so that a text without line breaks costs no more than its length.
  const piece = text.slice(start, limit);
  const least = piece.length >> 1;
  let best = -1;
  let bestCost = Number.POSITIVE_INFINITY;
  for (let at = piece.lastIndexOf("\n"); at >= least; at = piece.lastIndexOf("\n", at - 1)) {
    const next = start + at + 1;
    if (wholes.some((whole) => whole.start < next && next < whole.end)) continue;
    const cost = cutCost(text, start + at);
    // At equal cost the later cut wins, for fuller windows: it is met first.
    if (cost < bestCost) {
      bestCost = cost;
      best = next;
    }
  }
  if (best > 0) return best;
  const anyLine = piece.lastIndexOf("\n");
  if (anyLine > 0) return start + anyLine + 1;
  return splitsPair(text, limit) ? limit - 1 : limit;
}

/** Depth of the line after the line break at `at`; less if a blank line stands before it. Never before a closing bracket. */
function cutCost(text: string, at: number): number {
  let indent = at + 1;
  while (text[indent] === " " || text[indent] === "\t") indent++;
  const next = text[indent];
  if (next === undefined || next === "\n" || next === "\r") return 1_000;
  const depth = indent - at - 1;
  const closes = next === "}" || next === ")" || next === "]" ? 100 : 0;
  return depth * 2 + closes + (/\n[ \t]*\r?$/.test(text.slice(Math.max(0, at - 80), at)) ? 0 : 3);
}

function splitsPair(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  return before >= 0xd800 && before <= 0xdbff;
}

function toWindow(text: string, spans: readonly Span[], lines: LineIndex): Window {
  const trimmed = trimSpan(text, { start: spans[0]!.start, end: spans[spans.length - 1]!.end });
  return {
    startLine: lines.lineAt(trimmed.start),
    endLine: lines.lineAt(Math.max(trimmed.start, trimmed.end - 1)),
    spans,
    text: spans.map(({ start, end }) => text.slice(start, end)).join(""),
  };
}

/** A window of white space alone says nothing: it joins the one before it. */
function withoutBlanks(text: string, windows: readonly Window[], lines: LineIndex): Window[] {
  const kept: Window[] = [];
  for (const window of windows) {
    const previous = kept.at(-1);
    if (previous && window.text.trim() === "") {
      kept[kept.length - 1] = toWindow(text, [...previous.spans, ...window.spans], lines);
    } else {
      kept.push(window);
    }
  }
  return kept;
}

/** The span without white space at its ends; empty at `start` if there is nothing else. */
export function trimSpan(text: string, span: Span): Span {
  let { start, end } = span;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--;
  while (start < end && isSpace(text.charCodeAt(start))) start++;
  return { start, end };
}

function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13) || code === 0xa0 || code === 0xfeff;
}
