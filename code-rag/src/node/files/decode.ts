/** Bytes to text. A byte order mark decides before anything else: UTF-16 is full of NULs and is no binary. */

/** How much of a file is looked at for NUL, as git does. */
const BINARY_WINDOW = 8 * 1024;

/** The text of a file, without its byte order mark; undefined where the bytes are not text. Bytes that are not UTF-8 are taken for Latin-1, so line numbers stay right. */
export function decodeText(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  if (bytes.subarray(0, BINARY_WINDOW).includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("latin1").decode(bytes);
  }
}
