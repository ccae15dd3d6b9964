import type { Hit } from "./lexical.ts";

export interface RankedList {
  readonly name: string;
  readonly weight: number;
  readonly hits: readonly Hit[];
}

export interface Fused {
  readonly chunkId: number;
  /** 0…1; 1 is first in every list. */
  readonly score: number;
  /** Names of the lists that have it, in their given order. */
  readonly foundBy: readonly string[];
}

/**
 * Joins lists into one.
 *
 * - `ranks`: reciprocal rank fusion (Cormack, Clarke, Büttcher 2009): for lists whose scores say little;
 * - `scores`: a weighted sum of scores, those of each list stretched to 0…1 (Bruch, Gai, Ingber 2022 find it better than
 *   ranks, and so do our figures): how far a hit stands before the next one counts.
 */
export function fuse(lists: readonly RankedList[], by: "ranks" | "scores", k: number): Fused[] {
  const fused = new Map<number, { score: number; foundBy: string[] }>();
  const used = lists.filter((list) => list.weight > 0 && list.hits.length > 0);
  const total = used.reduce((sum, list) => sum + list.weight, 0);
  for (const { name, weight, hits } of used) {
    const share = by === "ranks" ? (_: Hit, rank: number) => k / (k + rank) : stretched(hits);
    hits.forEach((hit, rank) => {
      const entry = fused.get(hit.chunkId) ?? { score: 0, foundBy: [] };
      entry.score += (weight / total) * share(hit, rank);
      entry.foundBy.push(name);
      fused.set(hit.chunkId, entry);
    });
  }
  return [...fused]
    .map(([chunkId, { score, foundBy }]) => ({ chunkId, score, foundBy }))
    .sort((a, b) => b.score - a.score || a.chunkId - b.chunkId);
}

/** Scores from 0 (last of the list) to 1 (first), whichever way they count. */
function stretched(hits: readonly Hit[]): (hit: Hit) => number {
  const [first, last] = [(hits[0] as Hit).score, (hits.at(-1) as Hit).score];
  return first === last ? () => 1 : (hit) => (hit.score - last) / (first - last);
}
