/** Cutting text without breaking it. */

/**
 * `text` cut to at most `max` UTF-16 units, the mark included; never between the halves of a surrogate pair.
 *
 * @param mark what stands at the end of a text that was cut
 */
export function cutText(text: string, max: number, mark = ""): string {
  if (text.length <= max) return text;
  const end = max - mark.length;
  return text.slice(0, splitsPair(text, end) ? end - 1 : end) + mark;
}

function splitsPair(text: string, index: number): boolean {
  return isBetween(text.charCodeAt(index - 1), 0xd800, 0xdbff) && isBetween(text.charCodeAt(index), 0xdc00, 0xdfff);
}

function isBetween(unit: number, low: number, high: number): boolean {
  return unit >= low && unit <= high;
}
