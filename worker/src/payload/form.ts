/**
 * One field of an `application/x-www-form-urlencoded` body, decoded from bytes to bytes: GitHub's web UI offers this
 * content type first, and a 25 MB body must not become a string three times over.
 *
 * Decoding follows https://url.spec.whatwg.org/#urlencoded-parsing: `+` is a space, a `%` without two hex digits
 * stands for itself.
 */

const AMPERSAND = 0x26;
const EQUALS = 0x3d;
const PLUS = 0x2b;
const PERCENT = 0x25;

/** The value of the first field called `name` (ASCII); null if the form has none. */
export function formField(body: Uint8Array, name: string): Uint8Array<ArrayBuffer> | null {
  for (let start = 0; start < body.length; ) {
    const end = indexOf(body, AMPERSAND, start, body.length);
    const equals = indexOf(body, EQUALS, start, end);
    if (isNamed(body.subarray(start, equals), name)) return decode(body.subarray(Math.min(equals + 1, end), end));
    start = end + 1;
  }
  return null;
}

function isNamed(encoded: Uint8Array, name: string): boolean {
  // An encoded byte takes three at most.
  if (encoded.length < name.length || encoded.length > 3 * name.length) return false;
  return String.fromCharCode(...decode(encoded)) === name;
}

function decode(encoded: Uint8Array): Uint8Array<ArrayBuffer> {
  let escapes = 0;
  for (let pos = 0; pos < encoded.length; pos += BLOCK) escapes += countEscapes(encoded, pos, pos + BLOCK);
  const decoder = new Decoder(encoded, new Uint8Array(encoded.length - 2 * escapes));
  while (decoder.pos < encoded.length) decoder.decodeBlock();
  return decoder.decoded;
}

/** Work is done in blocks because V8 puts compiled code into use at the next call; see json-text/scanner.ts. */
const BLOCK = 4_096;

function countEscapes(bytes: Uint8Array, start: number, end: number): number {
  const last = Math.min(end, bytes.length);
  let count = 0;
  for (let pos = start; pos < last; pos++) if (bytes[pos] === PERCENT && isEscape(bytes, pos)) count++;
  return count;
}

class Decoder {
  readonly decoded: Uint8Array<ArrayBuffer>;
  pos = 0;
  private readonly encoded: Uint8Array;
  private length = 0;

  constructor(encoded: Uint8Array, decoded: Uint8Array<ArrayBuffer>) {
    this.encoded = encoded;
    this.decoded = decoded;
  }

  decodeBlock(): void {
    const { encoded, decoded } = this;
    let { pos, length } = this;
    const end = Math.min(pos + BLOCK, encoded.length);
    while (pos < end) {
      const c = encoded[pos]!;
      if (c === PERCENT && isEscape(encoded, pos)) {
        decoded[length++] = (hexDigit(encoded[pos + 1]!) << 4) | hexDigit(encoded[pos + 2]!);
        pos += 3;
      } else {
        decoded[length++] = c === PLUS ? 0x20 : c;
        pos++;
      }
    }
    this.pos = pos;
    this.length = length;
  }
}

function isEscape(bytes: Uint8Array, pos: number): boolean {
  return pos + 2 < bytes.length && hexDigit(bytes[pos + 1]!) >= 0 && hexDigit(bytes[pos + 2]!) >= 0;
}

/** A hex digit's value, -1 for any other byte. */
function hexDigit(c: number): number {
  if (c >= 0x30 && c <= 0x39) return c - 0x30;
  const letter = c | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

function indexOf(bytes: Uint8Array, byte: number, start: number, end: number): number {
  const found = bytes.indexOf(byte, start);
  return found < 0 || found > end ? end : found;
}
