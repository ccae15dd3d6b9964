import { describe, expect, it } from "vitest";
import { fuse } from "./fuse.ts";

const words = {
  name: "words",
  weight: 1,
  // As bm25 gives them: the lowest is the best.
  hits: [
    { chunkId: 1, score: -9 },
    { chunkId: 2, score: -8.9 },
    { chunkId: 3, score: -1 },
  ],
};
const meaning = {
  name: "meaning",
  weight: 1,
  hits: [
    { chunkId: 2, score: 0.8 },
    { chunkId: 4, score: 0.79 },
    { chunkId: 1, score: 0.2 },
  ],
};

describe("joining lists", () => {
  it("by scores: how far behind the first a hit stands counts, whichever way a list's scores run", () => {
    const fused = fuse([words, meaning], "scores", 40);
    expect(fused.map((entry) => entry.chunkId)).toEqual([2, 1, 4, 3]);
    expect(fused[0]).toMatchObject({ foundBy: ["words", "meaning"] });
    expect(fused[0]?.score).toBeCloseTo(0.994, 3);
    expect(fused[3]?.score).toBe(0);
  });

  it("by ranks: only the order within a list counts", () => {
    const fused = fuse([words, meaning], "ranks", 40);
    expect(fused.map((entry) => entry.chunkId)).toEqual([2, 1, 4, 3]);
    expect(fused[0]?.score).toBeCloseTo((1 + 40 / 41) / 2, 6);
  });

  it("gives all hits of a list with one score the same, and leaves lists without weight or hits out of the sum", () => {
    const flat = { ...words, hits: words.hits.map((hit) => ({ ...hit, score: 5 })) };
    const fused = fuse([flat, { ...meaning, weight: 0 }, { name: "none", weight: 3, hits: [] }], "scores", 40);
    expect(fused.map((entry) => entry.score)).toEqual([1, 1, 1]);
  });
});
