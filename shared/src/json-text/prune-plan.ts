/**
 * What of a JSON text must be cut so that it fits a budget: the largest strings and arrays, and whole objects only
 * where that is not enough.
 *
 * One pass finds the *candidates*. A container's own size is what is left of it once the candidates inside it are
 * replaced by their markers; so an array around one huge string is small, and the string is what goes. Candidates are
 * then cut by own size, the largest first, until the text fits. There are at most about (text size / floor) of them.
 */

import {
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  END,
  JsonScanner,
  KEY,
  NUMBER,
  OPEN_ARRAY,
  OPEN_OBJECT,
  STRING,
} from "./scanner.ts";

export type CutKind = "string" | "array" | "object" | "number";

/** A value that is replaced by its marker. */
export interface Cut {
  /** Byte range. */
  start: number;
  end: number;
  kind: CutKind;
  /** Characters of the string's value or of the number, items of the array, members of the object. */
  count: number;
  /** Length of its JSON text, in UTF-16 code units. */
  size: number;
}

export interface PrunePlan {
  /** Byte range of the root value. */
  start: number;
  end: number;
  /** The scanner's surplus at the end. */
  surplus: number;
  /** In the order of the text; none inside another. */
  cuts: Cut[];
  /** How many containers stand deeper than MAX_LEVELS; they are cut whatever the budget is, and not in `cuts`. */
  deep: number;
  /** What remains to be cut at the root: nothing, the items of its array that don't fit any more, or all of it. */
  root: "fits" | "head" | "all";
  /** The number of items if the root is an array. */
  rootItems: number;
}

/** Containers nested deeper are cut: JSON.stringify and structuredClone overflow on deep values. */
export const MAX_LEVELS = 500;

/** No value with a smaller own size is cut (with small budgets, a sixteenth of the budget). */
const FLOOR = 1_024;
/** An array of more markers than this says less than its first items do. */
const MAX_CUTS_IN_ROOT_ARRAY = 500;

/** The text that stands in the place of a value that was cut: a JSON string. */
export function marker(kind: CutKind, count: number): string {
  const unit = kind === "array" ? "item" : kind === "object" ? "member" : "character";
  return `"[${kind} of ${grouped(count)} ${unit}${count === 1 ? "" : "s"} cut]"`;
}

/** A whole number with commas between groups of three digits. */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** Plans the cuts that bring the JSON text in `bytes` to `budget` UTF-16 code units. Throws JsonTextError. */
export function planPrune(bytes: Uint8Array, budget: number): PrunePlan {
  const floor = Math.max(64, Math.min(FLOOR, Math.floor(budget / 16)));
  const gentle = survey(bytes, floor, false);
  const { start, end, surplus, deep, rootItems } = gentle;
  const plan = { start, end, surplus, deep, rootItems };
  if (gentle.length <= budget) return { ...plan, cuts: [], root: "fits" };
  let cuts = select(gentle, budget);
  if (cuts !== null) return { ...plan, cuts, root: "fits" };
  const harder = survey(bytes, floor, true);
  cuts = select(harder, budget);
  if (cuts !== null) return { ...plan, cuts, root: "fits" };
  if (rootItems < 0) return { ...plan, cuts: [], root: "all" };
  cuts = outermost(harder.candidates.filter((candidate) => candidate.own > budget / 8));
  return { ...plan, cuts, root: "head" };
}

interface Candidate extends Cut {
  own: number;
  /** Length of its marker. */
  marker: number;
  /** Index of the candidate around it, -1 for none. */
  parent: number;
}

interface Survey {
  /** Byte range of the root value. */
  start: number;
  end: number;
  /** The scanner's surplus at the end. */
  surplus: number;
  /** In the order of their ends: what is inside comes before what is around it. */
  candidates: Candidate[];
  deep: number;
  /** Length of the text if only what is too deep is cut, and if all candidates are. */
  length: number;
  shortest: number;
  /** -1 if the root is no array. */
  rootItems: number;
}

/** An open container. */
interface Frame {
  inArray: boolean;
  start: number;
  /** The scanner's surplus there. */
  surplus: number;
  items: number;
  /** What all the markers inside save. */
  saved: number;
  /** How many candidates had no parent when it opened. */
  orphans: number;
}

/** Finds the candidates: strings, numbers and arrays, with `objects` the objects as well; the root is none. */
function survey(bytes: Uint8Array, floor: number, objects: boolean): Survey {
  const scanner = new JsonScanner(bytes);
  /** The surplus of a byte order mark. */
  const before = scanner.surplus;
  const candidates: Candidate[] = [];
  /** Indexes of the candidates that no candidate around them has been found for yet. */
  const orphans: number[] = [];
  /** By level, used again and again; the first is around the root. */
  const frames: Frame[] = [newFrame()];
  let frame = frames[0]!;
  let deep = 0;
  let deepSaved = 0;
  let rootItems = -1;
  let rootStart = -1;
  let rootEnd = 0;

  const add = (kind: CutKind, start: number, size: number, count: number, own: number): void => {
    const length = marker(kind, count).length;
    candidates.push({ kind, start, end: scanner.end, size, count, own, marker: length, parent: -1 });
    orphans.push(candidates.length - 1);
    frame.saved += size - length;
  };

  for (;;) {
    const { surplus, escaping } = scanner;
    const token = scanner.next();
    if (rootStart < 0) rootStart = scanner.start;
    if (token === KEY) {
      frame.items++;
    } else if (token === OPEN_OBJECT || token === OPEN_ARRAY) {
      if (frame.inArray) frame.items++;
      const { start, depth } = scanner;
      if (depth > MAX_LEVELS) {
        const count = scanner.skip();
        const size = scanner.end - start - (scanner.surplus - surplus);
        const saved = size - marker(token === OPEN_ARRAY ? "array" : "object", count).length;
        deep++;
        deepSaved += saved;
        frame.saved += saved;
        continue;
      }
      frame = frames[depth] ??= newFrame();
      frame.inArray = token === OPEN_ARRAY;
      frame.start = start;
      frame.surplus = surplus;
      frame.items = 0;
      frame.saved = 0;
      frame.orphans = orphans.length;
    } else if (token === CLOSE_OBJECT || token === CLOSE_ARRAY) {
      const closed = frame;
      frame = frames[scanner.depth]!;
      const size = scanner.end - closed.start - (surplus - closed.surplus);
      const own = size - closed.saved;
      const kind = token === CLOSE_ARRAY ? "array" : "object";
      if (scanner.depth === 0) {
        rootEnd = scanner.end;
        if (kind === "array") rootItems = closed.items;
        frame.saved += closed.saved;
      } else if (own > floor && (objects || kind === "array")) {
        for (const orphan of orphans.splice(closed.orphans)) candidates[orphan]!.parent = candidates.length;
        add(kind, closed.start, size, closed.items, own);
      } else {
        frame.saved += closed.saved;
      }
    } else if (token === END) {
      const whole = rootEnd - rootStart - (scanner.surplus - before);
      const length = whole - deepSaved;
      const shortest = whole - frame.saved;
      return { start: rootStart, end: rootEnd, surplus, candidates, deep, length, shortest, rootItems };
    } else {
      if (frame.inArray) frame.items++;
      const { start, end } = scanner;
      if (scanner.depth === 0) rootEnd = end;
      if (end - start <= floor || scanner.depth === 0) continue;
      const size = end - start - (scanner.surplus - surplus);
      if (size <= floor) continue;
      if (token === STRING) add("string", start, size, size - 2 - (scanner.escaping - escaping), size);
      else if (token === NUMBER) add("number", start, size, size, size);
    }
  }
}

function newFrame(): Frame {
  return { inArray: false, start: 0, surplus: 0, items: 0, saved: 0, orphans: 0 };
}

/** The fewest cuts, largest own size first, that make the text fit; null if there are none, or too many to be of use. */
function select({ candidates, shortest, rootItems }: Survey, budget: number): Cut[] | null {
  if (shortest > budget) return null;
  const order = candidates.map((_, index) => index).sort((a, b) => candidates[b]!.own - candidates[a]!.own);
  const rank = new Uint32Array(candidates.length);
  for (const [place, index] of order.entries()) rank[index] = place;

  /** Length of the text if the first `count` of the order are cut. */
  const lengthWith = (count: number): number => {
    let length = shortest;
    /** What the uncut candidates inside each one add to its own size. */
    const inside = new Float64Array(candidates.length);
    for (const [index, candidate] of candidates.entries()) {
      if (rank[index]! < count) continue;
      const added = candidate.own + inside[index]! - candidate.marker;
      if (candidate.parent < 0) length += added;
      else inside[candidate.parent]! += added;
    }
    return length;
  };

  let low = 0;
  let high = candidates.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (lengthWith(middle) <= budget) high = middle;
    else low = middle + 1;
  }
  const cuts = outermost(order.slice(0, low).map((index) => candidates[index]!));
  return rootItems >= 0 && cuts.length > MAX_CUTS_IN_ROOT_ARRAY ? null : cuts;
}

/** Those that stand in no other, in the order of the text. */
function outermost(cuts: readonly Cut[]): Cut[] {
  let end = 0;
  return cuts
    .toSorted((a, b) => a.start - b.start)
    .filter((cut) => {
      if (cut.start < end) return false;
      end = cut.end;
      return true;
    });
}
