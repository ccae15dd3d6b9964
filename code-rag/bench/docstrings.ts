/**
 * Documentation sentence → function, in packages that the table was not trained on: MRR@10 and R@10 by language.
 * Packages come from `train/packages.json` through the training's cache.
 */

import { builtInEmbedder } from "../src/node/host/built-in-embedder.ts";
import { createNodePort } from "../src/node/parse/node-port.ts";
import { fetchPackages, packageList } from "../train/sources/fetch-packages.ts";
import { readFiles, scatter } from "../train/sources/read-files.ts";
import { mean } from "./lib/bootstrap.ts";
import { indexWithoutDocs, rankOf } from "./lib/docstrings.ts";
import { compare, type Scores } from "./lib/report.ts";
import { type Ranker, systems } from "./lib/systems.ts";

const QUESTIONS = 150;
const DEPTH = 10;

export interface DocstringOptions {
  readonly packages: string;
  readonly ablation: boolean;
  readonly baselines: boolean;
}

export async function benchDocstrings(options: DocstringOptions): Promise<void> {
  const embedder = builtInEmbedder();
  const parse = await createNodePort();
  const reciprocal: Scores = new Map();
  const found: Scores = new Map();
  const languages: { readonly language: string; readonly from: number; readonly to: number }[] = [];
  let asked = 0;
  for (const { wanted, fetched } of await fetchPackages(packageList().heldOut, options.packages)) {
    const { sql, questions } = await indexWithoutDocs(readFiles(fetched), parse, embedder);
    // In an order of their own, so that a cut favours no file.
    const chosen = questions.sort((a, b) => scatter(a.sentence) - scatter(b.sentence)).slice(0, QUESTIONS);
    for (const [name, ranker] of systems(sql, embedder, undefined, options))
      await ask(ranker, chosen, list(reciprocal, name), list(found, name));
    sql.close();
    languages.push({ language: wanted.language, from: asked, to: asked + chosen.length });
    asked += chosen.length;
    const [own, hits] = [reciprocal, found].map((scores) => mean(list(scores, "code-rag").slice(-chosen.length)));
    console.log(
      `${wanted.name.padEnd(28)} ${wanted.language.padEnd(11)} ${chosen.length} questions  MRR@10 ${own?.toFixed(3)}  R@10 ${hits?.toFixed(3)}`,
    );
  }
  for (const [language, ranges] of Map.groupBy(languages, (entry) => entry.language)) {
    const of = (scores: Scores, name: string) =>
      mean(ranges.flatMap(({ from, to }) => list(scores, name).slice(from, to))).toFixed(3);
    const figures = [...reciprocal.keys()].map((name) => `${name} ${of(reciprocal, name)}/${of(found, name)}`);
    console.log(`  language ${language.padEnd(11)} MRR@10/R@10: ${figures.join("  ")}`);
  }
  compare("MRR@10", reciprocal);
  compare("R@10", found);
}

async function ask(
  ranker: Ranker,
  questions: Parameters<typeof rankOf>[0][],
  reciprocal: number[],
  found: number[],
): Promise<void> {
  for (const question of questions) {
    const rank = rankOf(question, await ranker(question.sentence, DEPTH));
    reciprocal.push(1 / rank);
    found.push(rank <= DEPTH ? 1 : 0);
  }
}

function list(scores: Scores, name: string): number[] {
  const own = scores.get(name) ?? [];
  scores.set(name, own);
  return own;
}
