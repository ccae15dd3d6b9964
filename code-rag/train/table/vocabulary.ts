/**
 * The pieces that the table has rows for: the words that occur most, and for all other words beginnings and inner parts
 * of them, down to single characters, so that every ASCII word is covered.
 */

import { splitIdentifier } from "../../src/engine/tokenize/identifier.ts";
import { identifiers } from "../../src/engine/tokenize/tokens.ts";

/** Rows of the table. 28,500 rows of 256 numbers, their scales and names make 7.6 MB. */
const ROWS = 28_500;
const PARTS = 5_000;
const LONGEST_WORD = 24;
const LONGEST_PART = 8;
/** A word in fewer texts is not learned well. */
const FEWEST_TEXTS = 12;

/** Pieces in the order of their rows, most frequent words first. */
export function buildVocabulary(texts: Iterable<string>): string[] {
  const frequency = new Map<string, number>();
  for (const text of texts) {
    const seen = new Set<string>();
    for (const identifier of identifiers(text)) {
      if (identifier.length > 64) continue;
      for (const word of splitIdentifier(identifier)) if (/^[a-z0-9]+$/.test(word)) seen.add(word);
    }
    for (const word of seen) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  }
  const ordered = [...frequency].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  const words = ordered
    .filter(([word, texts]) => texts >= FEWEST_TEXTS && word.length <= LONGEST_WORD)
    .slice(0, ROWS - PARTS)
    .map(([word]) => word);
  const known = new Set(words);
  return [
    ...words,
    ...partsOf(
      ordered.filter(([word]) => !known.has(word)),
      known,
    ),
  ];
}

function partsOf(rare: readonly (readonly [string, number])[], words: ReadonlySet<string>): string[] {
  const gain = new Map<string, number>();
  for (const [word, texts] of rare) {
    for (let start = 0; start < word.length; start++) {
      for (let end = start + 2; end <= Math.min(word.length, start + LONGEST_PART); end++) {
        const part = `${start === 0 ? "" : "##"}${word.slice(start, end)}`;
        gain.set(part, (gain.get(part) ?? 0) + texts * (end - start - 1));
      }
    }
  }
  const characters = [..."abcdefghijklmnopqrstuvwxyz0123456789"].flatMap((one) => [one, `##${one}`]);
  const parts = [...gain]
    .filter(([part]) => !words.has(part))
    .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    .map(([part]) => part);
  return [...characters.filter((one) => !words.has(one)), ...parts].slice(0, PARTS);
}
