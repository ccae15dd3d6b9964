/** The systems that every retrieval benchmark compares: code-rag, code-rag without one part, and simple baselines. */

import type { Embedder } from "../../src/engine/ports.ts";
import { DEFAULT_WEIGHTS, type RankWeights } from "../../src/engine/search/weights.ts";
import type { NodeSqlite } from "../../src/node/sqlite/node-sqlite.ts";
import { keywordScore, ownRanker, plainFts5, type Ranker, ripgrep } from "./rankers.ts";

export type { Ranker };

const withLists = (change: Partial<RankWeights["lists"]["natural"]>): Partial<RankWeights> => ({
  lists: {
    symbol: { ...DEFAULT_WEIGHTS.lists.symbol, ...change },
    natural: { ...DEFAULT_WEIGHTS.lists.natural, ...change },
  },
});

const ABLATIONS: Readonly<Record<string, Partial<RankWeights>>> = {
  "without meaning": withLists({ semantic: 0 }),
  "without the list of names": withLists({ names: 0 }),
  "without column weights": { columns: { symbol: [1, 1, 1, 1], natural: [1, 1, 1, 1] } },
  "without names": { nameCover: 0, wholeName: 0, exactName: 0, definition: 0 },
  "without paths": { stemCover: 0, wholeStem: 0, directoryCover: 0 },
  "without agreement": { agreement: 0 },
  "without file roles": { roles: {} },
  "without spreading over files": { sameFile: 1, maxPerFile: 10 },
};

/**
 * By name, ours first. "without meaning" is always there: it is what the trained table has to beat.
 * @param directory of the indexed files, for ripgrep; without it that baseline is left out.
 */
export function systems(
  sql: NodeSqlite,
  embedder: Embedder | undefined,
  directory: string | undefined,
  options: { readonly ablation: boolean; readonly baselines: boolean },
): Map<string, Ranker> {
  const result = new Map([["code-rag", ownRanker(sql, embedder)]]);
  for (const [name, change] of Object.entries(ABLATIONS))
    if (options.ablation || name === "without meaning") result.set(name, ownRanker(sql, embedder, change));
  if (options.baselines) {
    result.set("plain FTS5", plainFts5(sql));
    result.set("repo-rag's score", keywordScore(sql));
    const grep = directory && ripgrep(directory);
    if (grep) result.set("ripgrep", grep);
  }
  return result;
}
