/** Thread that indexes, so that the main thread answers meanwhile. `indexer.ts` starts it and reads its messages. */

import { setTimeout as sleep } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import type { Embedder } from "../../engine/ports.ts";
import { SyncAborted } from "../../engine/sync/sync-root.ts";
import { CodeRagError, type ErrorCode } from "../errors.ts";
import { createEmbedder } from "../models/create-embedder.ts";
import type { ModelSettings } from "../models/settings.ts";
import { createFilePool, type FilePool } from "../parse/file-pool.ts";
import { type IndexProgress, type JobReport, type RootTarget, runIndexJob } from "./index-job.ts";
import { openIndex } from "./open-index.ts";
import { summarizeIndex } from "./summarize-index.ts";
import { WriterLock } from "./writer-lock.ts";

export interface IndexWorkerData {
  readonly database: string;
  readonly models: ModelSettings;
}

export interface IndexRequest {
  readonly targets: readonly RootTarget[];
  /** Make all vectors anew. */
  readonly reindex: boolean;
}

/** A run, to be answered by `done` or `failed`; its end after the batch that is being written; the end of the thread. */
export type IndexWorkerRequest =
  | { readonly type: "run"; readonly request: IndexRequest }
  | { readonly type: "abort" }
  | { readonly type: "close" };

export type IndexWorkerMessage =
  | { readonly type: "waiting" }
  | { readonly type: "progress"; readonly progress: IndexProgress }
  | { readonly type: "done"; readonly report: JobReport }
  | { readonly type: "failed"; readonly code: ErrorCode | "aborted" | "unexpected"; readonly message: string };

/** Grows when the units of unchanged files would come out differently: indexes then extract them again. */
const EXTRACTOR_ID = "2";
/** Files asked for at a time; the pool decides how many wait with its threads. */
const CONCURRENCY = 512;
const LOCK_POLL_MS = 200;

const post = (message: IndexWorkerMessage) => parentPort?.postMessage(message);
const data = workerData as IndexWorkerData;
let abort = new AbortController();
/** Kept from run to run, so that a run for one file in a server need not start anything. */
let kept: Promise<{ readonly pool: FilePool; readonly embedder: Embedder | undefined }> | undefined;

parentPort?.on("message", async (message: IndexWorkerRequest) => {
  switch (message.type) {
    case "run":
      abort = new AbortController();
      return post(await run(message.request).then((report) => ({ type: "done", report }), failure));
    case "abort":
      return abort.abort();
    case "close":
      await (await kept)?.pool.close();
      parentPort?.close();
  }
});

async function prepare() {
  const embedder = await createEmbedder(data.models);
  const pool = createFilePool({ embed: embedder !== undefined && data.models.embedModel === "built-in" });
  return { pool, embedder };
}

async function run({ targets, reindex }: IndexRequest): Promise<JobReport> {
  const lock = await acquireLock(data.database);
  const sql = openIndex(data.database);
  sql.prepareForBulk();
  try {
    kept ??= prepare();
    const { pool, embedder } = await kept;
    return await runIndexJob({
      sql,
      database: data.database,
      targets,
      examinerOf: pool.examinerOf,
      extractorId: EXTRACTOR_ID,
      concurrency: CONCURRENCY,
      signal: abort.signal,
      onProgress: throttled((progress) => post({ type: "progress", progress })),
      reindex,
      summarize: (progress) => summarizeIndex(sql, data.models, abort.signal, progress),
      ...(embedder ? { embedder } : {}),
    });
  } finally {
    sql.close();
    lock.release();
  }
}

async function acquireLock(database: string): Promise<WriterLock> {
  openIndex(database).close();
  for (let waits = 0; ; waits++) {
    const lock = WriterLock.tryAcquire(database);
    if (lock) return lock;
    if (waits === 0) post({ type: "waiting" });
    if (abort.signal.aborted) throw new SyncAborted();
    await sleep(LOCK_POLL_MS);
  }
}

/** Passes on a progress report at most every 100 ms, and the first and last of each phase. */
function throttled(report: (progress: IndexProgress) => void): (progress: IndexProgress) => void {
  let last = 0;
  let phase = "";
  return (progress) => {
    const now = Date.now();
    if (progress.phase === phase && progress.done < progress.total && now - last < 100) return;
    last = now;
    phase = progress.phase;
    report(progress);
  };
}

/** Whatever fails after an abort (a git that was stopped) fails because of it. */
function failure(error: unknown): IndexWorkerMessage {
  if (abort.signal.aborted) return { type: "failed", code: "aborted", message: new SyncAborted().message };
  if (error instanceof CodeRagError) return { type: "failed", code: error.code, message: error.message };
  return { type: "failed", code: "unexpected", message: (error as Error).stack ?? String(error) };
}
