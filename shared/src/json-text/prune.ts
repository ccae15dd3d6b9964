/**
 * A JSON text cut to a budget of characters, for readers who can't take 25 MB: the largest strings and arrays are
 * replaced by strings that state their sizes, everything else stays as it is.
 *
 * It works on byte ranges: only what is kept becomes a string, so that memory stays at the text plus about twice the
 * budget. The result is always valid JSON, and nowhere more than MAX_LEVELS deep.
 */

import { decodeText } from "./decode.ts";
import { Path } from "./path.ts";
import { type Cut, type CutKind, grouped, MAX_LEVELS, marker, type PrunePlan, planPrune } from "./prune-plan.ts";
import { CLOSE_ARRAY, CLOSE_OBJECT, END, JsonScanner, KEY, OPEN_ARRAY, OPEN_OBJECT, STRING } from "./scanner.ts";

/** A part that was cut. */
export interface PrunedPart {
  /** JSON Pointer (RFC 6901) of it. */
  pointer: string;
  kind: CutKind;
  /** Characters of the string or number, items of the array (the cut ones), members of the object. */
  count: number;
  /** Length of its JSON text in UTF-16 code units. */
  size: number;
}

export interface PrunedJson {
  /** JSON of at most the budget. */
  text: string;
  truncated: boolean;
  /** The largest parts that were cut, the largest first, at most MAX_PARTS. */
  parts: PrunedPart[];
  /** How many were cut in all. */
  cuts: number;
}

/** How many of the parts that were cut are named. */
export const MAX_PARTS = 20;

/**
 * Cuts the JSON text in `bytes` to `budget` UTF-16 code units (at least 100). In the place of a value that was cut
 * stands `"[string of 1,234,567 characters cut]"`, `"[array of 20,000 items cut]"`, `"[object of 9 members cut]"` or
 * `"[number of 1,234 characters cut]"`; containers deeper than 500 levels are always cut. An array that is too large as
 * the root keeps its first items, and `"[19,213 more items cut]"` as its last. Throws JsonTextError.
 */
export function pruneJson(bytes: Uint8Array, budget: number): PrunedJson {
  const plan = planPrune(bytes, budget);
  return new Pruner(bytes, plan, budget).run();
}

class Pruner {
  private readonly bytes: Uint8Array;
  private readonly plan: PrunePlan;
  private readonly budget: number;
  private readonly scanner: JsonScanner;
  private readonly path: Path;

  private readonly pieces: string[] = [];
  private length = 0;
  /** The byte up to which the text has gone into `pieces`. */
  private copied: number;
  private parts: readonly PrunedPart[] = [];
  private cuts = 0;

  constructor(bytes: Uint8Array, plan: PrunePlan, budget: number) {
    this.bytes = bytes;
    this.plan = plan;
    this.budget = budget;
    this.scanner = new JsonScanner(bytes);
    this.path = new Path(bytes);
    this.copied = plan.start;
  }

  run(): PrunedJson {
    switch (this.plan.root) {
      case "fits":
        this.replaceCuts(() => true);
        this.copy(this.plan.end);
        return this.result();
      case "head":
        return this.head();
      case "all":
        return this.all();
    }
  }

  /** Walks the text and sets the markers. `go`, asked after each value and opening bracket, may end it. */
  private replaceCuts(go: (valueEnded: boolean) => boolean): void {
    const { scanner, plan, path } = this;
    let next = 0;
    let deepLeft = plan.deep;
    // Without `next` and `deepLeft` to wait for, the rest of the text is copied unread.
    while (plan.root === "head" || next < plan.cuts.length || deepLeft > 0) {
      const token = scanner.next();
      if (token === END) return;
      if (token === KEY) {
        path.key(scanner.depth, scanner.start, scanner.end);
        continue;
      }
      let valueEnded = true;
      if (token !== CLOSE_OBJECT && token !== CLOSE_ARRAY) {
        const isOpen = token === OPEN_OBJECT || token === OPEN_ARRAY;
        const depth = scanner.depth - (isOpen ? 1 : 0);
        path.value(depth);
        const { start } = scanner;
        const cut = plan.cuts[next];
        if (cut?.start === start) {
          if (isOpen) scanner.skip();
          next++;
          this.replace(cut, depth);
        } else if (isOpen && depth >= MAX_LEVELS) {
          const before = scanner.surplus;
          const count = scanner.skip();
          const size = scanner.end - start - (scanner.surplus - before);
          deepLeft--;
          this.replace(
            { start, end: scanner.end, kind: token === OPEN_ARRAY ? "array" : "object", count, size },
            depth,
          );
        } else if (isOpen) {
          path.open(scanner.depth, token);
          valueEnded = false;
        }
      }
      if (!go(valueEnded)) return;
    }
  }

  /** The first items of a root array, as many as fit. */
  private head(): PrunedJson {
    const { scanner, plan, budget, pieces } = this;
    const rest = (items: number): string => `,"[${grouped(items)} more item${items === 1 ? "" : "s"} cut]"]`;
    const reserve = rest(plan.rootItems).length;
    let kept = { items: 0, pieces: 0, cuts: 0, parts: this.parts, end: 0, surplus: 0 };
    let full = false;
    this.replaceCuts((valueEnded) => {
      // No code unit takes more than three bytes: what can't fit is not even decoded.
      full = this.length + (scanner.end - this.copied) / 3 > budget;
      if (full || scanner.depth !== 1 || !valueEnded) return !full;
      this.copy(scanner.end);
      full = this.length + reserve > budget;
      if (!full) {
        const { cuts, parts } = this;
        kept = {
          items: kept.items + 1,
          pieces: pieces.length,
          cuts,
          parts,
          end: scanner.end,
          surplus: scanner.surplus,
        };
      }
      return !full;
    });
    if (!full) {
      this.copy(plan.end);
      return this.result();
    }
    if (kept.items === 0) return this.all();
    pieces.length = kept.pieces;
    this.cuts = kept.cuts;
    this.parts = kept.parts;
    const count = plan.rootItems - kept.items;
    pieces.push(rest(count));
    const size = plan.end - kept.end - (plan.surplus - kept.surplus);
    this.note({ pointer: "", kind: "array", count, size });
    return this.result();
  }

  /** Nothing but the root's own marker. */
  private all(): PrunedJson {
    const { bytes, plan } = this;
    const scanner = new JsonScanner(bytes.subarray(plan.start, plan.end));
    const token = scanner.next();
    const isOpen = token === OPEN_OBJECT || token === OPEN_ARRAY;
    const items = isOpen ? scanner.skip() : 0;
    const size = scanner.end - scanner.surplus;
    const [kind, count]: [CutKind, number] =
      token === OPEN_OBJECT
        ? ["object", items]
        : token === OPEN_ARRAY
          ? ["array", items]
          : token === STRING
            ? ["string", size - 2 - scanner.escaping]
            : ["number", size];
    return { text: marker(kind, count), truncated: true, parts: [{ pointer: "", kind, count, size }], cuts: 1 };
  }

  private copy(end: number): void {
    const piece = decodeText(this.bytes, this.copied, end);
    this.pieces.push(piece);
    this.length += piece.length;
    this.copied = end;
  }

  /** Puts a marker in the place of a value that stands in the container at `depth`. */
  private replace({ start, end, kind, count, size }: Cut, depth: number): void {
    this.copy(start);
    const text = marker(kind, count);
    this.pieces.push(text);
    this.length += text.length;
    this.copied = end;
    const smallest = this.parts.length < MAX_PARTS ? undefined : this.parts.at(-1);
    const pointer = smallest !== undefined && smallest.size >= size ? null : this.path.pointer(depth);
    if (pointer === null) this.cuts++;
    else this.note({ pointer, kind, count, size });
  }

  private note(part: PrunedPart): void {
    this.cuts++;
    this.parts = [...this.parts, part].sort((a, b) => b.size - a.size).slice(0, MAX_PARTS);
  }

  private result(): PrunedJson {
    return { text: this.pieces.join(""), truncated: this.cuts > 0, parts: [...this.parts], cuts: this.cuts };
  }
}
