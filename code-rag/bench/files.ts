/**
 * Question → files, over the tuning queries: nDCG@10 by repository, language and kind of question, beside semble's own
 * figures. Weights are chosen on one half of the repositories and checked on the other (`lib/split.ts`).
 */

import { builtInEmbedder } from "../src/node/host/built-in-embedder.ts";
import { mean } from "./lib/bootstrap.ts";
import { ndcg } from "./lib/ndcg.ts";
import { openBenchIndex } from "./lib/open-bench-index.ts";
import { compare, type Scores } from "./lib/report.ts";
import { type BenchRepository, loadRepositories } from "./lib/semble-data.ts";
import { isHeldOut } from "./lib/split.ts";
import { systems } from "./lib/systems.ts";

const DEPTH = 10;

export interface FileOptions {
  readonly data: string;
  readonly repositories: string;
  /** Where indexes are kept between runs. */
  readonly cache: string;
  /** Names of the repositories to take; all if it is not given. */
  readonly only: readonly string[] | undefined;
  readonly ablation: boolean;
  readonly baselines: boolean;
}

interface Row {
  readonly repository: BenchRepository;
  /** nDCG@10 of each query, by system. */
  readonly scores: Map<string, number[]>;
}

export async function benchFiles(options: FileOptions): Promise<void> {
  const embedder = builtInEmbedder();
  const rows: Row[] = [];
  const times: number[] = [];
  for (const repository of loadRepositories(options.data, options.repositories, options.only)) {
    const { name, language, directory, queries, sembleNdcg } = repository;
    const sql = await openBenchIndex(options.cache, name, { directory }, "bench", embedder);
    const scores = new Map<string, number[]>();
    for (const [system, ranker] of systems(sql, embedder, directory, options)) {
      const own: number[] = [];
      for (const query of queries) {
        const start = performance.now();
        const results = await ranker(query.text, DEPTH);
        if (system === "code-rag") times.push(performance.now() - start);
        own.push(ndcg(results, query.targets));
      }
      scores.set(system, own);
    }
    sql.close();
    rows.push({ repository, scores });
    const ours = mean(scores.get("code-rag") ?? []);
    console.log(
      `${name.padEnd(20)} ${language.padEnd(11)} ${beside(ours, sembleNdcg)}${isHeldOut(repository) ? "  (check)" : ""}`,
    );
  }
  printMeans("all", rows);
  printMeans(
    "chosen on",
    rows.filter((row) => !isHeldOut(row.repository)),
  );
  printMeans(
    "checked on",
    rows.filter((row) => isHeldOut(row.repository)),
  );
  for (const [language, group] of Map.groupBy(rows, (row) => row.repository.language))
    console.log(`  language ${language.padEnd(12)} ${beside(ofSystem(group, "code-rag"), ofSemble(group))}`);
  printCategories(rows);
  times.sort((a, b) => a - b);
  console.log(`Query time: p50 ${at(times, 0.5)} ms, p99 ${at(times, 0.99)} ms`);
  const all: Scores = new Map();
  for (const { scores } of rows)
    for (const [system, own] of scores) all.set(system, [...(all.get(system) ?? []), ...own]);
  compare("nDCG@10", all);
}

function printMeans(title: string, rows: readonly Row[]): void {
  const others = [...(rows[0]?.scores.keys() ?? [])]
    .slice(1)
    .map((name) => `${name} ${ofSystem(rows, name).toFixed(4)}`);
  console.log(
    `Mean over repositories, ${title} (${rows.length}): ${ofSystem(rows, "code-rag").toFixed(4)}  semble ${ofSemble(rows).toFixed(4)}  ${others.join("  ")}`,
  );
}

function ofSystem(rows: readonly Row[], system: string): number {
  return mean(rows.map((row) => mean(row.scores.get(system) ?? [])));
}

function ofSemble(rows: readonly Row[]): number {
  return mean(rows.map((row) => row.repository.sembleNdcg));
}

function beside(ours: number, semble: number): string {
  return `${ours.toFixed(3)}  semble ${semble.toFixed(3)}${ours < semble ? "  below" : ""}`;
}

function printCategories(rows: readonly Row[]): void {
  const entries = rows.flatMap(({ repository, scores }) =>
    repository.queries.map(({ category }, index) => ({ category, score: scores.get("code-rag")?.[index] ?? 0 })),
  );
  for (const [category, group] of Map.groupBy(entries, (entry) => entry.category))
    console.log(
      `  category ${category.padEnd(14)} ${mean(group.map(({ score }) => score)).toFixed(3)} (${group.length} queries)`,
    );
}

function at(sorted: readonly number[], share: number): string {
  return (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(2);
}
