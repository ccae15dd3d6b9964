/**
 * A payload's outline: one pass that checks the whole text and builds a small object from it, good enough to
 * summarise the event and to read routing facts (`repository`, `sender`, `installation` …) from.
 *
 * The guarantee: what is there equals what `JSON.parse` gives at the same place (later duplicates win), except that
 * long strings and arrays are cut to their beginnings; what did not fit is absent. The size of the outline is bounded
 * whatever the text is, and one top-level member can't use up the room of another.
 */

import { decodeString, decodeText } from "./decode.ts";
import {
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  FALSE,
  JsonScanner,
  JsonTextError,
  NULL,
  NUMBER,
  OPEN_ARRAY,
  OPEN_OBJECT,
  STRING,
  type Token,
  TRUE,
} from "./scanner.ts";

export interface OutlineLimits {
  /** Levels of containers that are kept; the payload itself is the first. */
  depth: number;
  /** UTF-16 code units kept of one string. */
  string: number;
  /** Items kept of one array. */
  items: number;
  /** Top-level members kept; GitHub's payloads have under 20. */
  members: number;
  /** Code units of strings and names kept of one top-level member, each value counting VALUE_COST on top. */
  memberSize: number;
  /** The same for all members together; once it is used up, a member still gets `reserve`. */
  totalSize: number;
  reserve: number;
}

export const OUTLINE_LIMITS: Readonly<OutlineLimits> = {
  depth: 8,
  string: 16_384,
  items: 50,
  members: 256,
  memberSize: 262_144,
  totalSize: 2_097_152,
  reserve: 16_384,
};

/** What a value costs on top of its characters: about what the object around it takes in memory. */
const VALUE_COST = 32;
/** Members with longer names are left out: nothing reads them, and cut names could collide. */
const MAX_NAME_BYTES = 1_024;

export type JsonKind = "array" | "string" | "number" | "boolean" | "null";

export type Outline =
  | { outcome: "ok"; value: Record<string, unknown> }
  | { outcome: "invalid"; error: JsonTextError }
  | { outcome: "not-an-object"; found: JsonKind };

/** Outlines the JSON text in `bytes` (valid UTF-8, with or without byte order mark). */
export function outlineJson(bytes: Uint8Array, limits: Partial<OutlineLimits> = {}): Outline {
  try {
    return new Outliner(bytes, { ...OUTLINE_LIMITS, ...limits }).run();
  } catch (error) {
    if (error instanceof JsonTextError) return { outcome: "invalid", error };
    throw error;
  }
}

const ABSENT = Symbol("absent");

class Outliner {
  private readonly scanner: JsonScanner;
  private readonly bytes: Uint8Array;
  private readonly limits: OutlineLimits;
  /** What the present top-level member may still cost. */
  private left = 0;

  constructor(bytes: Uint8Array, limits: OutlineLimits) {
    this.bytes = bytes;
    this.limits = limits;
    this.scanner = new JsonScanner(bytes);
  }

  run(): Outline {
    const { scanner } = this;
    const first = scanner.next();
    if (first !== OPEN_OBJECT) {
      if (first === OPEN_ARRAY) scanner.skip();
      scanner.next();
      return { outcome: "not-an-object", found: kindOf(first) };
    }
    const value = this.payload();
    scanner.next();
    return { outcome: "ok", value };
  }

  private payload(): Record<string, unknown> {
    const { scanner, limits } = this;
    const value: Record<string, unknown> = {};
    let total = limits.totalSize;
    let members = 0;
    while (scanner.next() !== CLOSE_OBJECT) {
      const name = this.name();
      const known = name !== null && Object.hasOwn(value, name);
      const room = name !== null && (known || members < limits.members);
      const budget = room ? Math.min(limits.memberSize, Math.max(total, limits.reserve)) : 0;
      this.left = budget;
      const member = this.value(scanner.next());
      total -= budget - this.left;
      if (name === null) continue;
      if (member === ABSENT) {
        if (known) members--;
        delete value[name];
      } else {
        if (!known) members++;
        define(value, name, member);
      }
    }
    return value;
  }

  /** Reads the value that starts with `token`; ABSENT if it does not fit. */
  private value(token: Token): unknown {
    const { scanner } = this;
    if (this.left < VALUE_COST || scanner.depth > this.limits.depth) {
      if (token === OPEN_OBJECT || token === OPEN_ARRAY) scanner.skip();
      return ABSENT;
    }
    this.left -= VALUE_COST;
    switch (token) {
      case OPEN_OBJECT:
        return this.object();
      case OPEN_ARRAY:
        return this.array();
      case STRING:
        return this.string();
      case NUMBER:
        return this.number();
      case TRUE:
        return true;
      case FALSE:
        return false;
      default:
        return null;
    }
  }

  private object(): Record<string, unknown> {
    const { scanner } = this;
    const object: Record<string, unknown> = {};
    while (scanner.next() !== CLOSE_OBJECT) {
      const name = this.name();
      const value = this.value(scanner.next());
      if (name === null) continue;
      // The last of several members of one name wins, also where it was too much to be kept.
      if (value === ABSENT) delete object[name];
      else define(object, name, value);
    }
    return object;
  }

  private array(): unknown[] {
    const { scanner } = this;
    const array: unknown[] = [];
    for (;;) {
      const token = scanner.next();
      if (token === CLOSE_ARRAY) return array;
      const item = this.value(token);
      if (item === ABSENT || array.push(item) === this.limits.items) {
        scanner.skip();
        return array;
      }
    }
  }

  private string(): string | typeof ABSENT {
    const { start, end } = this.scanner;
    const text = decodeString(this.bytes, start, end, this.limits.string);
    if (text.length > this.left) return ABSENT;
    this.left -= text.length;
    return text;
  }

  private number(): number {
    const { start, end } = this.scanner;
    return Number(decodeText(this.bytes, start, end));
  }

  private name(): string | null {
    const { start, end } = this.scanner;
    if (end - start > MAX_NAME_BYTES) return null;
    const name = decodeString(this.bytes, start, end);
    this.left = Math.max(0, this.left - name.length);
    return name;
  }
}

/** Sets an own property, `__proto__` included, as JSON.parse does. */
function define(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name === "__proto__") {
    Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
  } else {
    object[name] = value;
  }
}

function kindOf(token: Token): JsonKind {
  switch (token) {
    case OPEN_ARRAY:
      return "array";
    case STRING:
      return "string";
    case NUMBER:
      return "number";
    case NULL:
      return "null";
    default:
      return "boolean";
  }
}
