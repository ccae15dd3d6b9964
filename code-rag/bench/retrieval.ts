/**
 * Quality of search: nDCG@10 over the tuning queries, by repository and category, beside semble's figures and simple
 * baselines; with `--ablation` what each part of the ranking adds.
 *
 *   npm run bench:retrieval -- --data DIR --repositories DIR [--cache DIR] [--ablation] [--baselines]
 *
 * DIR of `--data` holds `repos.json` and `annotations/`; DIR of `--repositories` one checkout (at the revision of
 * `repos.json`) for each name.
 */

import { join } from "node:path";
import { parseArgs } from "node:util";
import type { RankWeights } from "../src/engine/search/weights.ts";
import { DEFAULT_WEIGHTS } from "../src/engine/search/weights.ts";
import { builtInEmbedder } from "../src/node/host/built-in-embedder.ts";
import { mean, pairedInterval } from "./lib/bootstrap.ts";
import { ndcg } from "./lib/ndcg.ts";
import { openBenchIndex } from "./lib/open-bench-index.ts";
import { keywordScore, ownRanker, plainFts5, type Ranker, ripgrep } from "./lib/rankers.ts";
import { type BenchRepository, loadRepositories } from "./lib/semble-data.ts";

const { values } = parseArgs({
  options: {
    data: { type: "string" },
    repositories: { type: "string" },
    cache: { type: "string" },
    ablation: { type: "boolean" },
    baselines: { type: "boolean" },
  },
});
if (!values.data || !values.repositories) {
  console.error(
    "Usage: npm run bench:retrieval -- --data DIR --repositories DIR [--cache DIR] [--ablation] [--baselines]",
  );
  process.exit(1);
}

const natural = (change: Partial<(typeof DEFAULT_WEIGHTS.lists)["natural"]>): Partial<RankWeights> => ({
  lists: {
    symbol: { ...DEFAULT_WEIGHTS.lists.symbol, ...change },
    natural: { ...DEFAULT_WEIGHTS.lists.natural, ...change },
  },
});

const ABLATIONS: Readonly<Record<string, Partial<RankWeights>>> = {
  "without meaning": natural({ semantic: 0 }),
  "without substrings": natural({ trigram: 0 }),
  "without column weights": { columns: [1, 1, 1, 1] },
  "without whole files": { wholeFile: 0 },
  "without names": { nameCover: 0, wholeName: 0, exactName: 0, definition: 0 },
  "without paths": { stemCover: 0, wholeStem: 0, directoryCover: 0 },
  "without agreement": { agreement: 0 },
  "without file roles": { roles: {} },
  "without spreading over files": { sameFile: 1, maxPerFile: 10 },
};

interface Row {
  readonly repository: BenchRepository;
  /** nDCG@10 of each query, by system. */
  readonly scores: Map<string, number[]>;
}

const embedder = builtInEmbedder();
const rows: Row[] = [];
let queryMs: number[] = [];
for (const repository of loadRepositories(values.data, values.repositories)) {
  const cache = values.cache ?? join(values.repositories, "..", "index");
  const sql = await openBenchIndex(cache, repository.name, { directory: repository.directory }, "bench", embedder);
  const rankers: [string, Ranker | undefined][] = [["code-rag", ownRanker(sql, embedder)]];
  if (values.ablation)
    for (const [name, change] of Object.entries(ABLATIONS)) rankers.push([name, ownRanker(sql, embedder, change)]);
  if (values.baselines) {
    rankers.push(
      ["plain FTS5", plainFts5(sql)],
      ["repo-rag's score", keywordScore(sql)],
      ["ripgrep", ripgrep(repository.directory)],
    );
  }
  const scores = new Map<string, number[]>();
  for (const [name, ranker] of rankers) {
    if (!ranker) continue;
    const own: number[] = [];
    for (const query of repository.queries) {
      const start = performance.now();
      const results = await ranker(query.text);
      if (name === "code-rag") queryMs.push(performance.now() - start);
      own.push(ndcg(results, query.targets));
    }
    scores.set(name, own);
  }
  sql.close();
  rows.push({ repository, scores });
  const ours = mean(scores.get("code-rag") ?? []);
  const beside = `semble ${repository.sembleNdcg.toFixed(3)}${ours < repository.sembleNdcg ? "  below" : ""}`;
  console.log(`${repository.name.padEnd(20)} ${repository.language.padEnd(11)} ${ours.toFixed(3)}  ${beside}`);
}

const overRepositories = (system: string) => mean(rows.map((row) => mean(row.scores.get(system) ?? [])));
console.log(
  `\nMean over repositories: ${overRepositories("code-rag").toFixed(4)}  semble ${mean(rows.map((row) => row.repository.sembleNdcg)).toFixed(4)}`,
);
printGroups("language", (row) => row.repository.language);
printCategories();
queryMs = queryMs.sort((a, b) => a - b);
console.log(`Query time: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`);
const systems = [...new Set(rows.flatMap((row) => [...row.scores.keys()]))].filter((name) => name !== "code-rag");
for (const system of systems) {
  const [ours, theirs] = ["code-rag", system].map((name) => rows.flatMap((row) => row.scores.get(name) ?? [])) as [
    number[],
    number[],
  ];
  const [low, high] = pairedInterval(theirs, ours);
  const change = mean(theirs) - mean(ours);
  console.log(
    `${system.padEnd(30)} ${overRepositories(system).toFixed(4)}  ${signed(change)} [${signed(low)}, ${signed(high)}]`,
  );
}

function printGroups(what: string, keyOf: (row: Row) => string): void {
  for (const [key, group] of Map.groupBy(rows, keyOf)) {
    const ours = mean(group.map((row) => mean(row.scores.get("code-rag") ?? [])));
    const semble = mean(group.map((row) => row.repository.sembleNdcg));
    console.log(
      `  ${what} ${key.padEnd(12)} ${ours.toFixed(3)}  semble ${semble.toFixed(3)}${ours < semble ? "  below" : ""}`,
    );
  }
}

function printCategories(): void {
  const byCategory = new Map<string, number[]>();
  for (const { repository, scores } of rows) {
    repository.queries.forEach((query, index) => {
      const list = byCategory.get(query.category) ?? [];
      byCategory.set(query.category, [...list, scores.get("code-rag")?.[index] ?? 0]);
    });
  }
  for (const [category, list] of byCategory)
    console.log(`  category ${category.padEnd(14)} ${mean(list).toFixed(3)} (${list.length} queries)`);
}

function at(share: number): string {
  return (queryMs[Math.floor(queryMs.length * share)] ?? 0).toFixed(2);
}

function signed(value: number): string {
  return `${value >= 0 ? "+" : ""}${value.toFixed(3)}`;
}
