import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { type FetchedPackage, folderOf } from "../sources/package.ts";
import { readFiles } from "../sources/read-files.ts";
import type { ExtractJob } from "./extract-worker.ts";
import type { Pair } from "./pair.ts";

const THREADS = 2;

/** The pairs of each package, in order. What was extracted once is read from `cache`. */
export async function extractPairs(packages: readonly FetchedPackage[], cache: string): Promise<Pair[][]> {
  const folder = join(cache, "pairs");
  mkdirSync(folder, { recursive: true });
  const outputs = packages.map((one) =>
    join(folder, `${folderOf(one)}-${one.version.replace(/[^\w.+-]/g, "_")}.jsonl`),
  );
  let next = 0;
  const work = async () => {
    const worker = new Worker(new URL("./extract-worker.ts", import.meta.url));
    while (next < packages.length) {
      const index = next++;
      const output = outputs[index] as string;
      if (existsSync(output)) continue;
      const files = readFiles(packages[index] as FetchedPackage);
      await answer(worker, { files, output });
      console.error(
        `pairs extracted: ${index + 1}/${packages.length} (${packages[index]?.name}, ${files.length} files)`,
      );
    }
    await worker.terminate();
  };
  await Promise.all(Array.from({ length: THREADS }, work));
  return outputs.map((output) =>
    readFileSync(output, "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Pair),
  );
}

function answer(worker: Worker, job: ExtractJob): Promise<number> {
  return new Promise((resolve, reject) => {
    worker.removeAllListeners();
    worker.once("message", resolve);
    worker.once("error", reject);
    worker.postMessage(job);
  });
}
