/** Thread of the pool: takes a file, gives what the index stores of it. One file at a time, so a crash has one suspect. */

import { parentPort, workerData } from "node:worker_threads";
import { type Examined, type FileExaminer, fileExaminer, type ListedFile } from "../../engine/prepare/examine.ts";
import { extractUnits } from "../../engine/units/extract.ts";
import { readSource } from "../files/read-source.ts";
import { builtInEmbedder } from "../host/built-in-embedder.ts";
import { sha256 } from "../host/digest.ts";
import { createNodePort } from "./node-port.ts";

export interface FileWorkerData {
  /** Make vectors of the built-in embedding as well. */
  readonly embed: boolean;
}

export interface FileJob {
  /** Directory that the file's path is relative to. */
  readonly root: string;
  readonly file: ListedFile;
  readonly knownHash: string | undefined;
}

/** `crashed`: the grammar failed on this file, and the thread's wasm memory can no longer be trusted. */
export type WorkerAnswer = { readonly examined: Examined } | { readonly crashed: string };

const port = createNodePort();
const embedder = (workerData as FileWorkerData).embed ? builtInEmbedder() : undefined;

let last = Promise.resolve();
parentPort?.on("message", (job: FileJob) => {
  last = last.then(async () => {
    const answer = await answerTo(job);
    const vectors = "examined" in answer && typeof answer.examined === "object" ? answer.examined.vectors : undefined;
    parentPort?.postMessage(answer, vectors ? [vectors.buffer as ArrayBuffer] : []);
  });
});

async function answerTo({ root, file, knownHash }: FileJob): Promise<WorkerAnswer> {
  try {
    return { examined: await examiner(root, await port)(file, knownHash) };
  } catch (error) {
    return { crashed: error instanceof Error ? error.message : String(error) };
  }
}

function examiner(root: string, parse: Awaited<typeof port>): FileExaminer {
  return fileExaminer({
    read: async (file) => readSource(root, file),
    extract: async (file) => extractUnits(file, parse),
    digest: sha256,
    ...(embedder ? { embedder } : {}),
  });
}
