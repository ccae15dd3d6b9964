/**
 * Trains the keyless embedding table (`model/embedding-table.bin`) from the packages of `packages.json`, and says how
 * well it finds code in packages that it was not trained on.
 *
 *   npm run train:code-rag -- --cache DIR [--seed N] [--epochs N] [--out FILE]
 *
 * DIR (or CODE_RAG_TRAIN_CACHE) holds what is downloaded, outside of the checkout; a second run downloads nothing.
 * Needs Debian 12 or later (`apt-get`, `dpkg-deb`), npm and tar. The same packages and seed give the same table.
 */

import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { mean, mulberry32 } from "../bench/lib/bootstrap.ts";
import { readStaticTable } from "../src/engine/embedding/static-table.ts";
import { extractPairs } from "./pairs/extract-pairs.ts";
import type { Pair } from "./pairs/pair.ts";
import { fetchPackages, packageList } from "./sources/fetch-packages.ts";
import type { FetchedPackage } from "./sources/package.ts";
import { scatter } from "./sources/read-files.ts";
import { makeBatches } from "./table/batches.ts";
import { firstWeights } from "./table/first-weights.ts";
import { reciprocalRank } from "./table/held-out.ts";
import { countTexts } from "./table/texts.ts";
import { Trainer } from "./table/trainer.ts";
import { buildVocabulary } from "./table/vocabulary.ts";
import { tableBytes } from "./table/write-table.ts";

const DIMENSIONS = 256;
const BATCH = 256;
const TEMPERATURE = 0.06;
const DROPOUT = 0.15;
const RATE = 0.04;

const { values: options } = parseArgs({
  options: {
    cache: { type: "string" },
    seed: { type: "string", default: "1" },
    epochs: { type: "string", default: "2" },
    out: { type: "string", default: fileURLToPath(new URL("../model/embedding-table.bin", import.meta.url)) },
  },
});
const cache = options.cache ?? process.env.CODE_RAG_TRAIN_CACHE;
if (!cache) {
  console.error("Usage: npm run train:code-rag -- --cache DIR [--seed N] [--epochs N] [--out FILE]");
  process.exit(1);
}
await train(resolve(process.env.INIT_CWD ?? ".", cache));

async function train(directory: string): Promise<void> {
  const list = packageList();
  const heldOut = await fetchPackages(list.heldOut, directory);
  const trained = (await fetchPackages(list.train, directory)).map(({ fetched }) => fetched);
  const heldOutPairs = await extractPairs(
    heldOut.map(({ fetched }) => fetched),
    directory,
  );
  const known = new Set(heldOutPairs.flat().map((pair) => pair.query));
  // A sentence that a held-out package has as well (copied code) would be learned by heart.
  const byPackage = (await extractPairs(trained, directory)).map((pairs) =>
    pairs.filter(({ query }) => !known.has(query)),
  );
  const pairs = byPackage.flat();
  console.log(`${pairs.length} pairs from ${trained.length} packages`);

  const random = mulberry32(Number(options.seed));
  const pieces = buildVocabulary(textsOf(pairs));
  const rows = new Map(pieces.map((piece, row) => [piece, row]));
  const queries = countTexts(
    pairs.map((pair) => pair.query),
    rows,
  );
  const codes = countTexts(
    pairs.map((pair) => pair.code),
    rows,
  );
  const weights = firstWeights(pieces.length, [queries, codes]);
  const trainer = new Trainer(
    { dimensions: DIMENSIONS, rows: pieces.length, batch: BATCH, temperature: TEMPERATURE, dropout: DROPOUT, random },
    weights,
  );
  const [queryIds, codeIds] = [pairs.map(({ query }) => scatter(query)), pairs.map(({ code }) => scatter(code))];
  const same = (a: number, b: number) => queryIds[a] === queryIds[b] || codeIds[a] === codeIds[b];
  const ofPackages = indices(byPackage.map((one) => one.length));

  const report = async (title: string) => {
    const bytes = tableBytes("untrained", pieces, trainer.values, DIMENSIONS);
    const table = readStaticTable(bytes, (part) => new TextDecoder().decode(part));
    const byLanguage = new Map<string, number[]>();
    for (const [index, { wanted }] of heldOut.entries()) {
      const rank = await reciprocalRank(table, heldOutPairs[index] as Pair[]);
      byLanguage.set(wanted.language, [...(byLanguage.get(wanted.language) ?? []), rank]);
    }
    const figures = [...byLanguage].map(([language, ranks]) => `${language} ${mean(ranks).toFixed(3)}`);
    console.log(
      `${title}: held-out MRR@10, vectors alone: ${mean([...byLanguage.values()].map(mean)).toFixed(4)} (${figures.join(", ")})`,
    );
  };

  await report("before");
  const epochs = Number(options.epochs);
  for (let epoch = 0; epoch < epochs; epoch++) {
    const start = performance.now();
    const batches = makeBatches(ofPackages, BATCH, random);
    let loss = 0;
    for (const [index, batch] of batches.entries()) {
      const progress = (epoch + index / batches.length) / epochs;
      const own = trainer.step(queries, codes, batch, same, RATE * (1 - 0.95 * progress));
      loss += (own - loss) / (index + 1);
      if (index % 200 === 199)
        console.error(`epoch ${epoch + 1}: ${index + 1}/${batches.length} batches, loss ${loss.toFixed(3)}`);
    }
    await report(`epoch ${epoch + 1} (loss ${loss.toFixed(3)}, ${((performance.now() - start) / 1000).toFixed(0)} s)`);
  }

  const digest = createHash("sha256")
    .update(tableBytes("", pieces, trainer.values, DIMENSIONS))
    .digest("hex");
  const out = options.out as string;
  mkdirSync(dirname(out), { recursive: true });
  const bytes = tableBytes(`built-in:${digest.slice(0, 12)}`, pieces, trainer.values, DIMENSIONS);
  writeFileSync(out, bytes);
  console.log(`${out}: ${pieces.length} rows, ${(bytes.length / 1e6).toFixed(2)} MB`);
  writeFileSync(
    new URL("./licences.json", import.meta.url),
    licences(
      trained,
      heldOut.map(({ fetched }) => fetched),
    ),
  );
}

function* textsOf(pairs: readonly Pair[]): Generator<string> {
  for (const pair of pairs) {
    yield pair.query;
    yield pair.code;
  }
}

/** Numbers 0, 1, 2 … cut into runs of the given lengths. */
function indices(lengths: readonly number[]): Int32Array[] {
  let next = 0;
  return lengths.map((length) => Int32Array.from({ length }, () => next++));
}

function licences(trained: readonly FetchedPackage[], heldOut: readonly FetchedPackage[]): string {
  const entries = (packages: readonly FetchedPackage[]) =>
    packages.map(({ registry, name, version, licence }) => ({ registry, name, version, licence }));
  return `${JSON.stringify({ train: entries(trained), heldOut: entries(heldOut) }, null, 2)}\n`;
}
