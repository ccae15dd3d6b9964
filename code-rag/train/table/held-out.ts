import type { StaticTable } from "../../src/engine/embedding/static-table.ts";
import { staticEmbedder } from "../../src/engine/embedding/static-table.ts";
import type { Pair } from "../pairs/pair.ts";

const MOST_QUESTIONS = 400;
const DEPTH = 10;

/**
 * How well a table alone finds the code that a sentence was written for, among all documented code of its package: mean
 * reciprocal rank of the first ten.
 */
export async function reciprocalRank(table: StaticTable, pairs: readonly Pair[]): Promise<number> {
  const documented = pairs.filter((pair) => pair.kind === "doc");
  const embedder = staticEmbedder(table);
  const codes = await embedder.embed(
    documented.map((pair) => pair.code),
    "document",
  );
  const questions = documented.slice(0, MOST_QUESTIONS);
  const queries = await embedder.embed(
    questions.map((pair) => pair.query),
    "query",
  );
  let sum = 0;
  for (const [index, query] of queries.entries()) {
    const own = dot(query, codes[index] as Int8Array);
    let better = 0;
    for (const [other, code] of codes.entries())
      if (documented[other]?.code !== questions[index]?.code && dot(query, code) > own) better++;
    if (better < DEPTH) sum += 1 / (better + 1);
  }
  return sum / Math.max(1, questions.length);
}

function dot(a: Int8Array, b: Int8Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] as number) * (b[i] as number);
  return sum;
}
