/**
 * JSON Pointer (RFC 6901) into a JSON text: where a value stands, without building it.
 */

import { decodeString } from "./decode.ts";
import { CLOSE_ARRAY, CLOSE_OBJECT, END, JsonScanner, KEY, OPEN_ARRAY, OPEN_OBJECT, type Token } from "./scanner.ts";

export type PointerResult =
  | { outcome: "found"; start: number; end: number }
  | { outcome: "not-found" }
  | { outcome: "invalid-pointer" };

/**
 * The byte range of the value that `pointer` names. Of several members with one name the last counts, as in
 * `JSON.parse`; `-` (the item behind the last) names nothing. One pass, however many reference tokens the pointer has.
 * Throws JsonTextError if the bytes are not JSON.
 */
export function findPointer(bytes: Uint8Array, pointer: string): PointerResult {
  const path = parsePointer(pointer);
  return path === null ? { outcome: "invalid-pointer" } : new PointerSearch(bytes, path).run();
}

/** Writes the pointer that names a value by the names and indexes that lead to it. */
export function formatPointer(path: readonly (string | number)[]): string {
  return path.map((token) => `/${String(token).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/** One reference token, prepared for comparison. */
interface Reference {
  name: string;
  /** Bytes that the name takes in UTF-8. */
  width: number;
  /** The array index that it stands for, or -1. */
  index: number;
}

function parsePointer(pointer: string): Reference[] | null {
  if (pointer === "") return [];
  if (!pointer.startsWith("/") || /~(?![01])/.test(pointer)) return null;
  return pointer
    .slice(1)
    .split("/")
    .map((token) => {
      const name = token.replaceAll("~1", "/").replaceAll("~0", "~");
      return { name, width: utf8Length(name), index: /^(0|[1-9][0-9]*)$/.test(name) ? Number(name) : -1 };
    });
}

/**
 * Walks the containers on the way to the value and skips all others. So the open containers are always those on the
 * way, and what stands in the one at depth `d` is compared with the pointer's `d`-th token.
 */
class PointerSearch {
  private readonly bytes: Uint8Array;
  private readonly path: readonly Reference[];
  private readonly scanner: JsonScanner;
  /** For each open container: how many items were seen. */
  private readonly items: number[] = [];
  private found: { start: number; end: number } | null = null;

  constructor(bytes: Uint8Array, path: readonly Reference[]) {
    this.bytes = bytes;
    this.path = path;
    this.scanner = new JsonScanner(bytes);
  }

  run(): PointerResult {
    const { scanner, items } = this;
    this.visit(scanner.next());
    for (;;) {
      const token = scanner.next();
      if (token === END) return this.found === null ? { outcome: "not-found" } : { outcome: "found", ...this.found };
      if (token === CLOSE_OBJECT || token === CLOSE_ARRAY) continue;
      const depth = scanner.depth - (isOpen(token) ? 1 : 0);
      const reference = this.path[depth - 1]!;
      if (token === KEY) {
        const matches = this.isNamed(reference);
        // A later member of the same name replaces the earlier one with all that was found in it.
        if (matches) this.found = null;
        this.take(scanner.next(), matches);
      } else {
        this.take(token, items[depth - 1]!++ === reference.index);
      }
    }
  }

  private take(token: Token, matches: boolean): void {
    if (matches) this.visit(token);
    else if (isOpen(token)) this.scanner.skip();
  }

  /** A value to which all the pointer's tokens so far lead. */
  private visit(token: Token): void {
    const { scanner } = this;
    const open = isOpen(token);
    const depth = scanner.depth - (open ? 1 : 0);
    if (depth === this.path.length) {
      const { start } = scanner;
      if (open) scanner.skip();
      this.found = { start, end: scanner.end };
    } else if (open) {
      this.items[depth] = 0;
    }
  }

  /** Whether the last key is the name that `reference` asks for. */
  private isNamed(reference: Reference): boolean {
    const { start, end } = this.scanner;
    const width = end - start - 2;
    // No name is written in fewer bytes than its UTF-8 form, nor in more than six bytes for each of its code units.
    if (width < reference.width) return false;
    if (width > 6 * reference.name.length) return false;
    return decodeString(this.bytes, start, end) === reference.name;
  }
}

function isOpen(token: Token): boolean {
  return token === OPEN_OBJECT || token === OPEN_ARRAY;
}

function utf8Length(text: string): number {
  let length = 0;
  for (const character of text) {
    const point = character.codePointAt(0)!;
    length += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
  }
  return length;
}
