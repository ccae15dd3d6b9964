import { PieceCounter } from "../../src/engine/embedding/piece-counter.ts";
import { tokens } from "../../src/engine/tokenize/tokens.ts";

/** Texts as counted pieces, one after the other: text `i` has the entries from `starts[i]` to `starts[i + 1]`. */
export interface CountedTexts {
  readonly starts: Int32Array;
  readonly rows: Int32Array;
  readonly weights: Float32Array;
}

export function countTexts(texts: readonly string[], vocabulary: ReadonlyMap<string, number>): CountedTexts {
  const counter = new PieceCounter(vocabulary);
  const starts = new Int32Array(texts.length + 1);
  let rows = new Int32Array(1 << 20);
  let weights = new Float32Array(1 << 20);
  let length = 0;
  texts.forEach((text, index) => {
    const counted = counter.count(tokens(text));
    if (length + counted.length > rows.length) {
      rows = grown(rows, new Int32Array(rows.length * 2));
      weights = grown(weights, new Float32Array(weights.length * 2));
    }
    rows.set(counted.rows.subarray(0, counted.length), length);
    weights.set(counted.weights.subarray(0, counted.length), length);
    length += counted.length;
    starts[index + 1] = length;
  });
  return { starts, rows: rows.subarray(0, length), weights: weights.subarray(0, length) };
}

function grown<List extends Int32Array | Float32Array>(from: List, into: List): List {
  into.set(from);
  return into;
}
