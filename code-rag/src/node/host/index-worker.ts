/** Thread that indexes, so that the main thread answers meanwhile. `indexer.ts` starts it and reads its messages. */

import { setTimeout as sleep } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { SyncAborted } from "../../engine/sync/sync-root.ts";
import { CodeRagError, type ErrorCode } from "../errors.ts";
import { createEmbedder } from "../models/create-embedder.ts";
import type { ModelSettings } from "../models/settings.ts";
import { createFilePool } from "../parse/file-pool.ts";
import { type IndexProgress, type JobReport, type RootTarget, runIndexJob } from "./index-job.ts";
import { openIndex } from "./open-index.ts";
import { summarizeIndex } from "./summarize-index.ts";
import { WriterLock } from "./writer-lock.ts";

export interface IndexWorkerData {
  readonly database: string;
  readonly targets: readonly RootTarget[];
  readonly models: ModelSettings;
  /** Make all vectors anew. */
  readonly reindex: boolean;
}

export type IndexWorkerMessage =
  | { readonly type: "waiting" }
  | { readonly type: "progress"; readonly progress: IndexProgress }
  | { readonly type: "done"; readonly report: JobReport }
  | { readonly type: "failed"; readonly code: ErrorCode | "aborted" | "unexpected"; readonly message: string };

/** Grows when the units of unchanged files would come out differently: indexes then extract them again. */
const EXTRACTOR_ID = "1";
/** Files asked for at a time; the pool decides how many wait with its threads. */
const CONCURRENCY = 128;
const LOCK_POLL_MS = 200;

const post = (message: IndexWorkerMessage) => parentPort?.postMessage(message);
const abort = new AbortController();
parentPort?.on("message", (message) => {
  if (message === "abort") abort.abort();
});

try {
  post({ type: "done", report: await run(workerData as IndexWorkerData) });
} catch (error) {
  post(failure(error));
} finally {
  parentPort?.close();
}

async function run(data: IndexWorkerData): Promise<JobReport> {
  const lock = await acquireLock(data.database);
  const sql = openIndex(data.database);
  sql.prepareForBulk();
  const embedder = await createEmbedder(data.models);
  const pool = createFilePool({ embed: embedder !== undefined && data.models.embedModel === "built-in" });
  try {
    return await runIndexJob({
      sql,
      database: data.database,
      targets: data.targets,
      examinerOf: pool.examinerOf,
      extractorId: EXTRACTOR_ID,
      concurrency: CONCURRENCY,
      signal: abort.signal,
      onProgress: throttled((progress) => post({ type: "progress", progress })),
      reindex: data.reindex,
      summarize: (progress) => summarizeIndex(sql, data.models, abort.signal, progress),
      ...(embedder ? { embedder } : {}),
    });
  } finally {
    await pool.close();
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

function failure(error: unknown): IndexWorkerMessage {
  if (error instanceof SyncAborted) return { type: "failed", code: "aborted", message: error.message };
  if (error instanceof CodeRagError) return { type: "failed", code: error.code, message: error.message };
  return { type: "failed", code: "unexpected", message: (error as Error).stack ?? String(error) };
}
