import { Worker } from "node:worker_threads";
import { SyncAborted } from "../../engine/sync/sync-root.ts";
import { CodeRagError } from "../errors.ts";
import type { IndexProgress, JobReport } from "./index-job.ts";
import type { IndexWorkerData, IndexWorkerMessage } from "./index-worker.ts";

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

/** Runs index jobs on a thread of their own, one at a time. */
export class Indexer {
  readonly #data: IndexWorkerData;
  #worker: Worker | undefined;
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
  run(): Promise<JobReport> {
    this.#run ??= this.#start().finally(() => {
      this.#run = undefined;
      this.#worker = undefined;
    });
    return this.#run;
  }

  /** Asks a run to stop after the batch that it is writing. */
  abort(): void {
    this.#worker?.postMessage("abort");
  }

  #start(): Promise<JobReport> {
    this.#set({ state: "indexing", progress: undefined, error: undefined });
    return new Promise((resolve, reject) => {
      const worker = new Worker(WORKER, { workerData: this.#data });
      this.#worker = worker;
      let settled = false;
      const fail = (error: Error) => {
        if (settled) return;
        settled = true;
        this.#set({ state: "failed", progress: undefined, error: error.message });
        reject(error);
      };
      worker.on("message", (message: IndexWorkerMessage) => {
        switch (message.type) {
          case "waiting":
            return this.#set({ state: "waiting" });
          case "progress":
            return this.#set({ state: "indexing", progress: message.progress });
          case "done":
            settled = true;
            this.#set({ state: "idle", progress: undefined, error: undefined, report: message.report });
            return resolve(message.report);
          case "failed":
            return fail(toError(message.code, message.message));
        }
      });
      worker.on("error", fail);
      worker.on("exit", (code) => fail(new Error(`The indexing thread ended early (code ${code}).`)));
    });
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
