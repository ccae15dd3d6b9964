/**
 * A strict JSON tokenizer over UTF-8 bytes.
 *
 * It accepts what `JSON.parse` accepts on the decoded text (after an optional byte order mark) and gives byte offsets
 * instead of values, so that a 25 MB payload can be checked, searched and cut without building it in memory. It is
 * iterative, and open containers cost one bit each: a million levels are no problem. Why our own:
 * docs/decisions/009-json-scanner.md.
 *
 * The bytes must be valid UTF-8 (check that first; inside strings the scanner takes bytes from 0x80 on as they come).
 */

/** What a token is. Brackets and the starts of values stand for themselves, as their ASCII codes. */
export const END = 0;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;
export const OPEN_ARRAY = 0x5b;
export const CLOSE_ARRAY = 0x5d;
/** A member's name, its colon included in what was consumed; `start` and `end` are those of the string. */
export const KEY = 0x3a;
export const STRING = 0x22;
export const NUMBER = 0x30;
export const TRUE = 0x74;
export const FALSE = 0x66;
export const NULL = 0x6e;

export type Token =
  | typeof END
  | typeof OPEN_OBJECT
  | typeof CLOSE_OBJECT
  | typeof OPEN_ARRAY
  | typeof CLOSE_ARRAY
  | typeof KEY
  | typeof STRING
  | typeof NUMBER
  | typeof TRUE
  | typeof FALSE
  | typeof NULL;

/** The text is not JSON. */
export class JsonTextError extends Error {
  override readonly name = "JsonTextError";
  /** Byte offset, from the start of the scanned bytes, of the first byte that can't stand there. */
  readonly offset: number;
  /** What is wrong there, in a few words. */
  readonly reason: string;

  constructor(reason: string, offset: number) {
    super(`${reason} at byte ${offset}`);
    this.reason = reason;
    this.offset = offset;
  }
}

/** What may come next. */
const VALUE = 0;
const VALUE_OR_CLOSE = 1;
const KEY_OR_CLOSE = 2;
const AFTER_VALUE = 3;

export class JsonScanner {
  /** Byte range of the last token; a string's quotes are part of it. */
  start = 0;
  end = 0;
  /** Containers open after the last token. */
  depth = 0;
  /**
   * How many bytes up to `end` are not UTF-16 code units of their own: `end - surplus` is the length that the text up
   * to there has as a JavaScript string.
   */
  surplus = 0;
  /** How many code units up to `end` escape sequences take beyond the one that each of them stands for. */
  escaping = 0;

  private readonly bytes: Uint8Array;
  private readonly length: number;
  /** Where the next token is looked for. */
  private pos = 0;
  private expect = VALUE;
  private inObject = false;
  /** One bit for each open container: set = object. */
  private kinds = new Uint32Array(16);

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.length = bytes.length;
    if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
      this.pos = this.surplus = 3;
    }
  }

  /** The next token; END once the text is complete. Throws JsonTextError. */
  next(): Token {
    // The hot path. Calls and loads are spelled out: with helpers for white space and digits it took 2.5 times as long.
    const bytes = this.bytes;
    const length = this.length;
    let pos = this.pos;
    let c = pos < length ? bytes[pos]! : 0;
    while (c <= 0x20 && isSpace(c)) c = ++pos < length ? bytes[pos]! : 0;

    const expect = this.expect;
    if (expect === AFTER_VALUE) {
      if (this.depth === 0) return this.finish(pos);
      if (c !== 0x2c) return this.close(pos, c);
      c = ++pos < length ? bytes[pos]! : 0;
      while (c <= 0x20 && isSpace(c)) c = ++pos < length ? bytes[pos]! : 0;
      if (this.inObject) return this.key(pos, c);
    } else if (expect === KEY_OR_CLOSE) {
      return c === CLOSE_OBJECT ? this.close(pos, c) : this.key(pos, c);
    } else if (expect === VALUE_OR_CLOSE && c === CLOSE_ARRAY) {
      return this.close(pos, c);
    }

    this.start = pos;
    let token: Token;
    if (c === STRING) {
      token = STRING;
      pos = this.stringEnd(pos);
    } else if (c === OPEN_OBJECT || c === OPEN_ARRAY) {
      return this.open(pos, c);
    } else if (isDigit(c) || c === 0x2d) {
      token = NUMBER;
      const first = c;
      c = ++pos < length ? bytes[pos]! : 0;
      if (first <= 0x30) {
        pos = signedOrZeroEnd(bytes, pos, first);
        c = at(bytes, pos);
      } else {
        while (isDigit(c)) c = ++pos < length ? bytes[pos]! : 0;
      }
      if (c === 0x2e || (c | 0x20) === 0x65) pos = fractionEnd(bytes, pos);
    } else if (c === TRUE || c === FALSE || c === NULL) {
      token = c;
      pos = wordEnd(bytes, pos, c === TRUE ? "true" : c === FALSE ? "false" : "null");
    } else {
      fail(unexpected(bytes, pos, "a value"), pos);
    }
    this.end = this.pos = pos;
    this.expect = AFTER_VALUE;
    return token;
  }

  /**
   * After an opening bracket: reads on to its closing one, which becomes the last token. Gives the number of the
   * container's items or members.
   */
  skip(): number {
    const level = this.depth;
    const inObject = this.inObject;
    let count = 0;
    for (;;) {
      const token = this.next();
      if (this.depth > level) continue;
      if (this.depth < level) return count;
      // At the container's own level an array has one token for each item (a nested one's closing bracket).
      if (token === KEY || !inObject) count++;
    }
  }

  private key(pos: number, c: number): typeof KEY {
    const bytes = this.bytes;
    if (c !== STRING) fail(unexpected(bytes, pos, "a member name"), pos);
    this.start = pos;
    pos = this.end = this.stringEnd(pos);
    c = at(bytes, pos);
    while (isSpace(c)) c = at(bytes, ++pos);
    if (c !== KEY) fail(unexpected(bytes, pos, '":"'), pos);
    this.pos = pos + 1;
    this.expect = VALUE;
    return KEY;
  }

  private open(pos: number, c: typeof OPEN_OBJECT | typeof OPEN_ARRAY): Token {
    const depth = this.depth++;
    const word = depth >>> 5;
    let kinds = this.kinds;
    if (word === kinds.length) {
      this.kinds = new Uint32Array(word * 2);
      this.kinds.set(kinds);
      kinds = this.kinds;
    }
    const bit = 1 << (depth & 31);
    const inObject = c === OPEN_OBJECT;
    kinds[word] = inObject ? kinds[word]! | bit : kinds[word]! & ~bit;
    this.inObject = inObject;
    this.expect = inObject ? KEY_OR_CLOSE : VALUE_OR_CLOSE;
    this.end = this.pos = pos + 1;
    return c;
  }

  private close(pos: number, c: number): Token {
    const bracket = this.inObject ? CLOSE_OBJECT : CLOSE_ARRAY;
    if (c !== bracket) fail(unexpected(this.bytes, pos, this.inObject ? '"," or "}"' : '"," or "]"'), pos);
    const depth = --this.depth;
    if (depth > 0) this.inObject = ((this.kinds[(depth - 1) >>> 5]! >>> ((depth - 1) & 31)) & 1) === 1;
    this.start = pos;
    this.end = this.pos = pos + 1;
    this.expect = AFTER_VALUE;
    return bracket;
  }

  private finish(pos: number): typeof END {
    if (pos < this.length) fail("Unexpected text after the value", pos);
    this.start = this.end = this.pos = pos;
    return END;
  }

  /** The offset after a string's closing quote. */
  private stringEnd(start: number): number {
    const bytes = this.bytes;
    const length = this.length;
    let pos = start + 1;
    for (;;) {
      pos = plainEnd(bytes, pos, Math.min(pos + BLOCK, length));
      if (pos >= length) fail("Unterminated string", start);
      const c = bytes[pos]!;
      if (c === 0x22) return pos + 1;
      if (c === 0x5c) {
        const end = escapeEnd(bytes, pos);
        this.escaping += end - pos - 1;
        pos = end;
      } else if (c >= 0x80) {
        // Two, three, four bytes make one, one, two code units.
        if (c < 0xe0) {
          this.surplus += 1;
          pos += 2;
        } else {
          this.surplus += 2;
          pos += c < 0xf0 ? 3 : 4;
        }
      } else if (c < 0x20) {
        fail("Control character in a string", pos);
      }
    }
  }
}

/**
 * Long strings are read in blocks, each with a call of its own: V8 puts compiled code into use at the next call, while
 * a loop over 24 MB that began in the interpreter stays there for most of a second.
 */
const BLOCK = 4_096;

/** The offset, up to `end`, of the first byte that is not printable ASCII, or is a quote or a backslash. */
function plainEnd(bytes: Uint8Array, pos: number, end: number): number {
  while (pos < end) {
    const c = bytes[pos]!;
    if (c === 0x22 || c === 0x5c || c < 0x20 || c >= 0x80) break;
    pos++;
  }
  return pos;
}

/**
 * Checks a whole text. Gives null if it is JSON, else what is wrong and where.
 */
export function checkJson(bytes: Uint8Array): JsonTextError | null {
  const scanner = new JsonScanner(bytes);
  try {
    while (scanner.next() !== END);
    return null;
  } catch (error) {
    if (error instanceof JsonTextError) return error;
    throw error;
  }
}

/**
 * The byte at `pos`, 0 behind the end (a NUL byte can stand nowhere in JSON). Reading a typed array out of its bounds
 * instead makes V8 compile every later read of the same line for `undefined` as well: four times slower.
 */
function at(bytes: Uint8Array, pos: number): number {
  return pos < bytes.length ? bytes[pos]! : 0;
}

/** White space of RFC 8259 §2. */
function isSpace(c: number): boolean {
  return c === 0x20 || c === 0x0a || c === 0x0d || c === 0x09;
}

function wordEnd(bytes: Uint8Array, pos: number, word: string): number {
  for (let i = 1; i < word.length; i++) if (at(bytes, pos + i) !== word.charCodeAt(i)) fail("Unknown word", pos);
  return pos + word.length;
}

/** The offset after an escape sequence, whose backslash stands at `pos`. */
function escapeEnd(bytes: Uint8Array, pos: number): number {
  switch (at(bytes, pos + 1)) {
    case 0x22: // "
    case 0x5c: // backslash
    case 0x2f: // /
    case 0x62: // b
    case 0x66: // f
    case 0x6e: // n
    case 0x72: // r
    case 0x74: // t
      return pos + 2;
    case 0x75: // u
      for (let i = pos + 2; i < pos + 6; i++) if (!isHex(at(bytes, i))) fail("Bad unicode escape", pos);
      return pos + 6;
    default:
      return fail("Bad escape", pos);
  }
}

// Numbers: RFC 8259 §6.

/** The offset after the integer part of a number that began with "-" or "0", at `pos - 1`. */
function signedOrZeroEnd(bytes: Uint8Array, pos: number, first: number): number {
  if (first === 0x2d && at(bytes, pos) !== 0x30) return digitsEnd(bytes, pos);
  if (first === 0x2d) pos++;
  if (isDigit(at(bytes, pos))) fail("Number with a leading zero", pos - 1);
  return pos;
}

/** The offset after the fraction and the exponent that start at `pos`. */
function fractionEnd(bytes: Uint8Array, pos: number): number {
  if (at(bytes, pos) === 0x2e) pos = digitsEnd(bytes, pos + 1);
  if ((at(bytes, pos) | 0x20) === 0x65) {
    const sign = at(bytes, ++pos);
    pos = digitsEnd(bytes, sign === 0x2b || sign === 0x2d ? pos + 1 : pos);
  }
  return pos;
}

function digitsEnd(bytes: Uint8Array, pos: number): number {
  if (!isDigit(at(bytes, pos))) fail(unexpected(bytes, pos, "a digit"), pos);
  do pos++;
  while (isDigit(at(bytes, pos)));
  return pos;
}

function isDigit(c: number): boolean {
  return c >= 0x30 && c <= 0x39;
}

function isHex(c: number): boolean {
  return isDigit(c) || ((c | 0x20) >= 0x61 && (c | 0x20) <= 0x66);
}

function unexpected(bytes: Uint8Array, pos: number, wanted: string): string {
  return pos < bytes.length ? `Expected ${wanted}` : `Text ends where ${wanted} should stand`;
}

function fail(reason: string, offset: number): never {
  throw new JsonTextError(reason, offset);
}
