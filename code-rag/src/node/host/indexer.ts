import { Worker } from "node:worker_threads";
import { SyncAborted } from "../../engine/sync/sync-root.ts";
import { CodeRagError } from "../errors.ts";
import type { IndexProgress, JobReport } from "./index-job.ts";
import type { IndexRequest, IndexWorkerData, IndexWorkerMessage, IndexWorkerRequest } from "./index-worker.ts";

/** What the indexer is doing, for status answers. */
export interface IndexerState {
  readonly state: "idle" | "waiting" | "indexing" | "failed";
  readonly progress: IndexProgress | undefined;
  /** Message of the last run's failure. */
  readonly error: string | undefined;
  /** Of the last run that ended well. */
  readonly report: JobReport | undefined;
}

/** The worker's file, as source or as built. */
const WORKER = new URL(import.meta.url.endsWith(".ts") ? "./index-worker.ts" : "./index-worker.js", import.meta.url);

/** A thread without work is given up after this long: its memory is worth more than the half second that it saves. */
const IDLE_MS = 60_000;

/**
 * Runs index jobs on a thread of their own, one at a time. The thread, its parsers and what they have compiled are kept
 * for the next run for a while; they do not keep the process alive.
 */
export class Indexer {
  readonly #data: IndexWorkerData;
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #waiting: { readonly resolve: (report: JobReport) => void; readonly reject: (reason: Error) => void } | undefined;
  #run: Promise<JobReport> | undefined;
  #state: IndexerState = { state: "idle", progress: undefined, error: undefined, report: undefined };
  /** Called whenever the state changes. */
  onChange: (state: IndexerState) => void = () => {};

  constructor(data: IndexWorkerData) {
    this.#data = data;
  }

  get state(): IndexerState {
    return this.#state;
  }

  /** Starts a run, or joins the one that is under way. Rejects with `CodeRagError`, or `SyncAborted` after `abort`. */
  run(request: IndexRequest): Promise<JobReport> {
    this.#run ??= this.#start(request).finally(() => {
      this.#run = undefined;
      this.#rest();
    });
    return this.#run;
  }

  /** Asks a run to stop after the batch that it is writing. */
  abort(): void {
    this.#send({ type: "abort" });
  }

  /** Gives up the thread, after the run that is under way. */
  async close(): Promise<void> {
    await this.#run?.catch(() => {});
    this.#release();
  }

  #send(message: IndexWorkerRequest): void {
    this.#worker?.postMessage(message);
  }

  #rest(): void {
    this.#worker?.unref();
    this.#idle = setTimeout(() => this.#release(), IDLE_MS);
    this.#idle.unref();
  }

  #release(): void {
    clearTimeout(this.#idle);
    this.#send({ type: "close" });
    this.#worker = undefined;
  }

  #start(request: IndexRequest): Promise<JobReport> {
    clearTimeout(this.#idle);
    this.#set({ state: "indexing", progress: undefined, error: undefined });
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#worker ??= this.#startWorker();
      this.#worker.ref();
      this.#send({ type: "run", request });
    });
  }

  #startWorker(): Worker {
    const worker = new Worker(WORKER, { workerData: this.#data });
    worker.on("message", (message: IndexWorkerMessage) => {
      switch (message.type) {
        case "waiting":
          return this.#set({ state: "waiting" });
        case "progress":
          return this.#set({ state: "indexing", progress: message.progress });
        case "done":
          this.#set({ state: "idle", progress: undefined, error: undefined, report: message.report });
          return this.#waiting?.resolve(message.report);
        case "failed":
          return this.#fail(toError(message.code, message.message));
      }
    });
    const lost = (error: Error) => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      if (this.#run) this.#fail(error);
    };
    worker.on("error", lost);
    worker.on("exit", (code) => lost(new Error(`The indexing thread ended early (code ${code}).`)));
    return worker;
  }

  #fail(error: Error): void {
    this.#set({ state: "failed", progress: undefined, error: error.message });
    this.#waiting?.reject(error);
  }

  #set(change: Partial<IndexerState>): void {
    this.#state = { ...this.#state, ...change };
    this.onChange(this.#state);
  }
}

function toError(code: (IndexWorkerMessage & { type: "failed" })["code"], message: string): Error {
  if (code === "aborted") return new SyncAborted();
  return code === "unexpected" ? new Error(message) : new CodeRagError(code, message);
}
