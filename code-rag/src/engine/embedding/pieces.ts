import { splitIdentifier } from "../tokenize/identifier.ts";
import { identifiers } from "../tokenize/tokens.ts";

/** Longest piece of a word that is looked for; longer words are taken apart. */
const MAX_PIECE = 24;

/**
 * A text as pieces of a vocabulary, in order: the words of its identifiers, and words that the vocabulary lacks as the
 * longest pieces that it has, left to right. Pieces inside a word begin with `##`, as in WordPiece. What cannot be
 * covered is left out.
 */
export function* pieces(text: string, vocabulary: { has(piece: string): boolean }): Generator<string> {
  for (const identifier of identifiers(text)) {
    if (identifier.length > 64) continue;
    for (const word of splitIdentifier(identifier)) {
      if (vocabulary.has(word)) yield word;
      else yield* partsOf(word, vocabulary);
    }
  }
}

function* partsOf(word: string, vocabulary: { has(piece: string): boolean }): Generator<string> {
  let start = 0;
  while (start < word.length) {
    const prefix = start === 0 ? "" : "##";
    let end = Math.min(word.length, start + MAX_PIECE);
    while (end > start + 1 && !vocabulary.has(prefix + word.slice(start, end))) end--;
    const piece = prefix + word.slice(start, end);
    if (vocabulary.has(piece)) yield piece;
    start = end;
  }
}
