import type { Token } from "../tokenize/tokens.ts";
import { pieces } from "./pieces.ts";

/** Later pieces of a long text change its mean little. */
const MAX_PIECES = 512;
/** Identifiers repeat a lot within a repository; the cache is emptied rather than grown. */
const CACHE_ENTRIES = 50_000;

/** The rows of a table that a text is made of, and how much each of them counts. Good until the next call. */
export interface CountedPieces {
  readonly length: number;
  readonly rows: Int32Array;
  /** Root of the number of times: the tenth `i` says less than the first. */
  readonly weights: Float32Array;
}

/** Counts the pieces of texts, in order of first appearance. Reuses its arrays: nothing is allocated for a text. */
export class PieceCounter {
  readonly #vocabulary: ReadonlyMap<string, number>;
  readonly #cache = new Map<Token, readonly number[]>();
  readonly #counts: Uint16Array;
  readonly #rows = new Int32Array(MAX_PIECES);
  readonly #weights = new Float32Array(MAX_PIECES);

  constructor(vocabulary: ReadonlyMap<string, number>) {
    this.#vocabulary = vocabulary;
    this.#counts = new Uint16Array(vocabulary.size);
  }

  count(tokens: readonly Token[]): CountedPieces {
    const [counts, rows, weights] = [this.#counts, this.#rows, this.#weights];
    let used = 0;
    let length = 0;
    for (const token of tokens) {
      for (const row of this.#rowsOf(token)) {
        if (used === MAX_PIECES) break;
        used++;
        if (counts[row] === 0) rows[length++] = row;
        counts[row] = (counts[row] as number) + 1;
      }
      if (used === MAX_PIECES) break;
    }
    for (let i = 0; i < length; i++) {
      const row = rows[i] as number;
      weights[i] = Math.sqrt(counts[row] as number);
      counts[row] = 0;
    }
    return { length, rows, weights };
  }

  #rowsOf(token: Token): readonly number[] {
    const known = this.#cache.get(token);
    if (known) return known;
    const rows = Array.from(pieces(token.text, this.#vocabulary), (piece) => this.#vocabulary.get(piece) as number);
    if (this.#cache.size >= CACHE_ENTRIES) this.#cache.clear();
    this.#cache.set(token, rows);
    return rows;
  }
}
