import type { CountedTexts } from "./texts.ts";

/**
 * Where the weight of each piece starts: by its rarity, as smooth inverse frequency has it (Arora et al., "A Simple but
 * Tough-to-Beat Baseline for Sentence Embeddings", 2017), so that what is never learned is about right.
 */
export function firstWeights(rows: number, lists: readonly CountedTexts[]): Float32Array {
  const texts = new Float64Array(rows);
  let total = 0;
  for (const list of lists) {
    total += list.starts.length - 1;
    for (const row of list.rows) texts[row] = (texts[row] as number) + 1;
  }
  return Float32Array.from(texts, (count) => 0.003 / (0.003 + count / total) + 0.05);
}
