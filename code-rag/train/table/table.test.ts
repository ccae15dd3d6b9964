import { describe, expect, it } from "vitest";
import { mulberry32 } from "../../bench/lib/bootstrap.ts";
import { pieces } from "../../src/engine/embedding/pieces.ts";
import { readStaticTable, staticEmbedder } from "../../src/engine/embedding/static-table.ts";
import { makeBatches } from "./batches.ts";
import { firstWeights } from "./first-weights.ts";
import { countTexts } from "./texts.ts";
import { Trainer } from "./trainer.ts";
import { buildVocabulary } from "./vocabulary.ts";
import { tableBytes } from "./write-table.ts";

const SIZE = 64;
const DIMENSIONS = 32;

/** Two languages with no word in common: `q3` means `c3`, and each text has noise of its own side. */
const PAIRS = Array.from({ length: SIZE * 4 }, (_, i) => ({
  query: `the question about query${letters(i % 20)} here`,
  code: `return function code${letters(i % 20)} value`,
}));

function letters(number: number): string {
  return String.fromCharCode(97 + number).repeat(3);
}

function trained(steps: number): Uint8Array {
  const vocabulary = buildVocabulary(PAIRS.flatMap(({ query, code }) => [query, code]));
  const rows = new Map(vocabulary.map((piece, row) => [piece, row]));
  const queries = countTexts(
    PAIRS.map(({ query }) => query),
    rows,
  );
  const codes = countTexts(
    PAIRS.map(({ code }) => code),
    rows,
  );
  const random = mulberry32(7);
  const trainer = new Trainer(
    { dimensions: DIMENSIONS, rows: vocabulary.length, batch: SIZE, temperature: 0.1, dropout: 0.1, random },
    firstWeights(vocabulary.length, [queries, codes]),
  );
  const same = (a: number, b: number) => PAIRS[a]?.code === PAIRS[b]?.code;
  const all = Int32Array.from(PAIRS, (_, index) => index);
  for (let step = 0; step < steps; step++)
    for (const batch of makeBatches([all], SIZE, random)) trainer.step(queries, codes, batch, same, 0.05);
  return tableBytes("test:1", vocabulary, trainer.values, DIMENSIONS);
}

async function accuracy(bytes: Uint8Array): Promise<number> {
  const embedder = staticEmbedder(readStaticTable(bytes, (part) => new TextDecoder().decode(part)));
  const codes = await embedder.embed(
    PAIRS.slice(0, 20).map(({ code }) => code),
    "document",
  );
  const queries = await embedder.embed(
    PAIRS.slice(0, 20).map(({ query }) => query),
    "query",
  );
  const right = queries.filter((query, i) => {
    const dots = codes.map((code) => code.reduce((sum, value, k) => sum + value * (query[k] as number), 0));
    return dots.indexOf(Math.max(...dots)) === i;
  });
  return right.length / 20;
}

describe("the table's training", () => {
  it("learns which words mean each other, across the file that it writes", async () => {
    expect(await accuracy(trained(0))).toBeLessThan(0.5);
    expect(await accuracy(trained(20))).toBe(1);
  });

  it("gives one table for one seed", () => {
    expect(trained(2)).toEqual(trained(2));
  });
});

describe("the vocabulary", () => {
  it("covers every ASCII word, known or not", () => {
    const vocabulary = new Set(buildVocabulary(Array.from({ length: 12 }, () => "parse the widgets of xylographers")));
    expect([...pieces("parse", vocabulary)]).toEqual(["parse"]);
    for (const word of ["qzx9", "unparsed", "a"])
      expect([...pieces(word, vocabulary)].map((piece) => piece.replace("##", "")).join("")).toBe(
        word.replace(/9/, "9"),
      );
  });
});

describe("batches", () => {
  it("hold every pair at most once an epoch, and several of a package together", () => {
    const packages = [0, 1, 2, 3].map((one) => Int32Array.from({ length: 100 }, (_, i) => one * 100 + i));
    const batches = makeBatches(packages, 64, mulberry32(1));
    const all = batches.flatMap((batch) => [...batch]);
    expect(new Set(all).size).toBe(all.length);
    expect(batches).toHaveLength(6);
    for (const batch of batches) {
      const sizes = [...Map.groupBy(batch, (pair) => Math.floor(pair / 100)).values()].map((group) => group.length);
      expect(Math.max(...sizes)).toBeGreaterThanOrEqual(16);
    }
  });
});
