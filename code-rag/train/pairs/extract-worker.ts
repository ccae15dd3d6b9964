/** Thread that makes the pairs of a package and writes them to a file, a JSON object a line. */

import { renameSync, writeFileSync } from "node:fs";
import { parentPort } from "node:worker_threads";
import { extractUnits } from "../../src/engine/units/extract.ts";
import type { FileUnits } from "../../src/engine/units/unit.ts";
import { createNodePort } from "../../src/node/parse/node-port.ts";
import { type PackageFile, scatter } from "../sources/read-files.ts";
import type { Pair } from "./pair.ts";
import { pairsOfFile } from "./pairs-of-file.ts";

export interface ExtractJob {
  readonly files: readonly PackageFile[];
  readonly output: string;
}

/** The most pairs of one package and kind: a large package must not be all that the table knows. */
const MOST: Readonly<Record<Pair["kind"], number>> = { doc: 5_000, name: 1_500, prose: 1_500 };

let port = createNodePort();

parentPort?.on("message", async (job: ExtractJob) => {
  const pairs: Pair[] = [];
  for (const file of job.files) pairs.push(...pairsOfFile(await unitsOf(file)));
  const chosen = (Object.keys(MOST) as Pair["kind"][]).flatMap((kind) => choose(pairs, kind));
  writeFileSync(`${job.output}.part`, chosen.map((pair) => `${JSON.stringify(pair)}\n`).join(""));
  renameSync(`${job.output}.part`, job.output);
  parentPort?.postMessage(chosen.length);
});

async function unitsOf(file: PackageFile): Promise<FileUnits> {
  try {
    return extractUnits(file, await port);
  } catch {
    // A grammar that crashed takes its memory along.
    port = createNodePort();
    return extractUnits(file, undefined);
  }
}

/** Each query once (builds repeat their sources), in an order that has nothing to do with the files'. */
function choose(pairs: readonly Pair[], kind: Pair["kind"]): Pair[] {
  const byQuery = new Map<string, Pair>();
  for (const pair of pairs) if (pair.kind === kind && !byQuery.has(pair.query)) byQuery.set(pair.query, pair);
  return [...byQuery.values()].sort((a, b) => scatter(a.query) - scatter(b.query)).slice(0, MOST[kind]);
}
