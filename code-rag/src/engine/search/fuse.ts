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
 * Reciprocal rank fusion (Cormack, Clarke, Büttcher 2009): only ranks count, so lists whose scores mean different
 * things can be joined.
 */
export function fuse(lists: readonly RankedList[], k: number): Fused[] {
  const fused = new Map<number, { score: number; foundBy: string[] }>();
  for (const { name, weight, hits } of lists) {
    if (weight <= 0) continue;
    hits.forEach((hit, rank) => {
      const entry = fused.get(hit.chunkId) ?? { score: 0, foundBy: [] };
      entry.score += weight / (k + rank);
      entry.foundBy.push(name);
      fused.set(hit.chunkId, entry);
    });
  }
  const best = lists.reduce((sum, list) => sum + Math.max(0, list.hits.length > 0 ? list.weight : 0), 0) / k;
  return [...fused]
    .map(([chunkId, entry]) => ({ chunkId, score: best > 0 ? entry.score / best : 0, foundBy: entry.foundBy }))
    .sort((a, b) => b.score - a.score || a.chunkId - b.chunkId);
}
