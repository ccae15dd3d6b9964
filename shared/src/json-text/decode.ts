/**
 * UTF-8 bytes to JavaScript strings, for as much of a text as is kept.
 *
 * `TextDecoder` would do half of it, but it is no part of the language (this package compiles without any host's
 * names) and knows nothing of JSON's escapes. The bytes must be valid UTF-8.
 */

/** Shared by all decoding, of which only one is ever under way. */
const BUFFER = new Uint16Array(4_096);

/** Collects UTF-16 code units; many at a time become a string. */
class Units {
  private readonly units = BUFFER;
  private used = 0;
  private text = "";

  get length(): number {
    return this.text.length + this.used;
  }

  /** The last code unit, NaN before the first. */
  get last(): number {
    return this.used > 0 ? this.units[this.used - 1]! : this.text.charCodeAt(this.text.length - 1);
  }

  add(unit: number): void {
    if (this.used === this.units.length) this.flush();
    this.units[this.used++] = unit;
  }

  addCodePoint(point: number): void {
    if (point >= 0x10000) this.add(0xd800 + ((point - 0x10000) >> 10));
    this.add(point < 0x10000 ? point : 0xdc00 + ((point - 0x10000) & 0x3ff));
  }

  toString(): string {
    this.flush();
    return this.text;
  }

  private flush(): void {
    if (this.used === 0) return;
    this.text += Reflect.apply(String.fromCharCode, null, this.units.subarray(0, this.used)) as string;
    this.used = 0;
  }
}

/** The bytes from `start` to `end` as a string, as they are. */
export function decodeText(bytes: Uint8Array, start = 0, end = bytes.length): string {
  const units = new Units();
  let pos = start;
  while (pos < end) pos = decodeCharacter(bytes, pos, units);
  return units.toString();
}

/**
 * The value of the JSON string (quotes included) that stands from `start` to `end`. `limit` cuts it to so many UTF-16
 * code units, or one less where that would tear a surrogate pair apart.
 */
export function decodeString(bytes: Uint8Array, start: number, end: number, limit = Number.POSITIVE_INFINITY): string {
  const last = end - 1;
  let pos = start + 1;
  const shortEnd = last - pos <= Math.min(limit, SHORT) ? plainEnd(bytes, pos, last) : pos;
  if (shortEnd === last) return Reflect.apply(String.fromCharCode, null, bytes.subarray(pos, last)) as string;

  const units = new Units();
  while (pos < last && units.length < limit) {
    pos = bytes[pos] === BACKSLASH ? decodeEscape(bytes, pos, units) : decodeCharacter(bytes, pos, units);
  }
  const text = units.toString();
  if (pos >= last && text.length <= limit) return text;
  const cut = text.slice(0, limit);
  return isHighSurrogate(cut.charCodeAt(cut.length - 1)) ? cut.slice(0, -1) : cut;
}

const BACKSLASH = 0x5c;
const UNICODE = 0x75;

/** Strings of up to this many bytes are tried as plain ASCII first: nearly all names and most values are. */
const SHORT = 256;

function plainEnd(bytes: Uint8Array, pos: number, end: number): number {
  while (pos < end && bytes[pos]! < 0x80 && bytes[pos] !== BACKSLASH) pos++;
  return pos;
}

function decodeCharacter(bytes: Uint8Array, pos: number, units: Units): number {
  const c = bytes[pos]!;
  if (c < 0x80) {
    units.add(c);
    return pos + 1;
  }
  if (c < 0xe0) {
    units.add(((c & 0x1f) << 6) | (bytes[pos + 1]! & 0x3f));
    return pos + 2;
  }
  if (c < 0xf0) {
    units.add(((c & 0x0f) << 12) | ((bytes[pos + 1]! & 0x3f) << 6) | (bytes[pos + 2]! & 0x3f));
    return pos + 3;
  }
  units.addCodePoint(
    ((c & 0x07) << 18) | ((bytes[pos + 1]! & 0x3f) << 12) | ((bytes[pos + 2]! & 0x3f) << 6) | (bytes[pos + 3]! & 0x3f),
  );
  return pos + 4;
}

function decodeEscape(bytes: Uint8Array, pos: number, units: Units): number {
  const c = bytes[pos + 1]!;
  if (c === UNICODE) {
    units.add(Number.parseInt(Reflect.apply(String.fromCharCode, null, bytes.subarray(pos + 2, pos + 6)), 16));
    return pos + 6;
  }
  units.add(ESCAPES.get(c) ?? c);
  return pos + 2;
}

/** The escapes that don't stand for the character behind the backslash. */
const ESCAPES: ReadonlyMap<number, number> = new Map([
  [0x62, 0x08], // b
  [0x66, 0x0c], // f
  [0x6e, 0x0a], // n
  [0x72, 0x0d], // r
  [0x74, 0x09], // t
]);

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}
