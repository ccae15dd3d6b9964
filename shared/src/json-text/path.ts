/**
 * Where a scanner is: the way from the root to the value that it reads, kept as byte ranges and spelled out only on
 * demand.
 */

import { decodeString } from "./decode.ts";
import { formatPointer } from "./pointer.ts";
import { OPEN_ARRAY, type Token } from "./scanner.ts";

/** Longer pointers are not given. */
const MAX_POINTER = 1_024;

/** For each open container the name, or the index, of what is being read in it. */
export class Path {
  private readonly bytes: Uint8Array;
  /** Byte range of a name; in an array the start is -1 and the second number the index. */
  private readonly starts: number[] = [];
  private readonly ends: number[] = [];

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  open(depth: number, token: Token): void {
    this.starts[depth - 1] = token === OPEN_ARRAY ? -1 : 0;
    this.ends[depth - 1] = -1;
  }

  key(depth: number, start: number, end: number): void {
    this.starts[depth - 1] = start;
    this.ends[depth - 1] = end;
  }

  /** A value begins in the container at `depth`. */
  value(depth: number): void {
    if (depth > 0 && this.starts[depth - 1] === -1) this.ends[depth - 1]!++;
  }

  /** The pointer to the value in the container at `depth`; null if it is very long. */
  pointer(depth: number): string | null {
    const path: (string | number)[] = [];
    let length = 0;
    for (let level = 0; level < depth; level++) {
      const start = this.starts[level]!;
      const end = this.ends[level]!;
      length += start < 0 ? 2 : end - start - 1;
      if (length > 6 * MAX_POINTER) return null;
      path.push(start < 0 ? end : decodeString(this.bytes, start, end));
    }
    const pointer = formatPointer(path);
    return pointer.length > MAX_POINTER ? null : pointer;
  }
}
