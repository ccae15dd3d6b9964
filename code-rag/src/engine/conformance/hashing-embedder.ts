import { quantize } from "../embedding/static-table.ts";
import type { Embedder } from "../ports.ts";
import { terms } from "../tokenize/tokens.ts";

const DIMENSIONS = 256;

/** An embedder for tests: each term has a fixed random direction, and synonyms share one. */
export function hashingEmbedder(synonyms: Readonly<Record<string, string>>): Embedder {
  const canonical = new Map(
    Object.entries(synonyms).flatMap(([word, other]) => terms(word).map((term) => [term, terms(other)[0]])),
  );
  return {
    id: "test:hashing",
    dimensions: DIMENSIONS,
    embed: async (texts) =>
      texts.map((text) => {
        const sum = new Float32Array(DIMENSIONS);
        for (const term of new Set(terms(text))) addDirection(sum, canonical.get(term) ?? term);
        return quantize(sum);
      }),
  };
}

function addDirection(sum: Float32Array, term: string): void {
  let state = 2166136261;
  for (let i = 0; i < term.length; i++) state = Math.imul(state ^ term.charCodeAt(i), 16777619);
  for (let i = 0; i < DIMENSIONS; i++) {
    // xorshift32 (Marsaglia 2003)
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    sum[i] = (sum[i] as number) + (state & 1 ? 1 : -1);
  }
}
