/**
 * Units of files, extracted by threads. Whatever a file does to its grammar (throw, crash, never come back), the file
 * still gets units, by lines, and the files after it are not touched by it: its thread is replaced.
 */

import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { extractUnits } from "../../engine/units/extract.ts";
import type { FileUnits, SourceFile, UnitExtractor } from "../../engine/units/unit.ts";
import type { WorkerAnswer } from "./parse-worker.ts";

export interface UnitPoolOptions {
  /** Threads at most; they start when there is work for them. Default: one a core, four at most. */
  readonly threads?: number;
  /** Longest time for one file. The parser has a budget of its own; this is for scanners that never return to it. */
  readonly timeoutMs?: number;
  /** Told of each file that was split by lines because its grammar failed. */
  readonly onFailure?: (path: string, reason: string) => void;
  /** The thread's module. */
  readonly workerUrl?: URL;
}

export interface UnitPool {
  /** Never rejects, except after `close`. Ask for as many files at once as there are threads, or more: they queue. */
  readonly extract: UnitExtractor;
  /** Stops the threads. Files not yet answered are rejected. */
  close(): Promise<void>;
}

interface Job {
  readonly file: SourceFile;
  readonly resolve: (units: FileUnits) => void;
  readonly reject: (reason: Error) => void;
}

interface Thread {
  readonly worker: Worker;
  job: Job | undefined;
  timer: NodeJS.Timeout | undefined;
}

const DEFAULT_TIMEOUT_MS = 20_000;

export function createUnitPool(options: UnitPoolOptions = {}): UnitPool {
  const size = options.threads ?? Math.min(4, availableParallelism());
  const timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  const workerUrl = options.workerUrl ?? siblingModule("parse-worker");
  const threads = new Set<Thread>();
  const idle: Thread[] = [];
  const queue: Job[] = [];
  let closed = false;

  function startThread(): Thread {
    const worker = new Worker(workerUrl);
    const thread: Thread = { worker, job: undefined, timer: undefined };
    threads.add(thread);
    worker.on("message", (answer: WorkerAnswer) => {
      const job = release(thread);
      if (!job) return;
      if ("units" in answer) {
        idle.push(thread);
        job.resolve(answer.units);
      } else {
        retire(thread);
        splitByLines(job, answer.crashed);
      }
      startNext();
    });
    worker.on("error", (error) => fail(thread, error instanceof Error ? error.message : String(error)));
    worker.on("exit", () => fail(thread, "the parser thread ended"));
    return thread;
  }

  function startNext(): void {
    while (queue.length > 0 && (idle.length > 0 || threads.size < size)) {
      const thread = idle.pop() ?? startThread();
      const job = queue.shift()!;
      thread.job = job;
      thread.timer = setTimeout(() => fail(thread, `took more than ${timeoutMs} ms`), timeoutMs);
      thread.worker.ref();
      thread.worker.postMessage(job.file);
    }
  }

  /** Ends the thread's work on its job. An idle thread does not keep the process alive. */
  function release(thread: Thread): Job | undefined {
    const { job } = thread;
    clearTimeout(thread.timer);
    thread.job = undefined;
    thread.worker.unref();
    return job;
  }

  function retire(thread: Thread): void {
    threads.delete(thread);
    const at = idle.indexOf(thread);
    if (at >= 0) idle.splice(at, 1);
    void thread.worker.terminate();
  }

  function fail(thread: Thread, reason: string): void {
    if (!threads.has(thread)) return;
    const job = release(thread);
    retire(thread);
    if (job) splitByLines(job, reason);
    startNext();
  }

  function splitByLines({ file, resolve }: Job, reason: string): void {
    options.onFailure?.(file.path, reason);
    resolve(extractUnits(file, undefined));
  }

  return {
    extract: (file) =>
      new Promise((resolve, reject) => {
        if (closed) {
          reject(new Error("the unit pool is closed"));
          return;
        }
        queue.push({ file, resolve, reject });
        startNext();
      }),
    async close() {
      closed = true;
      const pending = [...queue.splice(0), ...[...threads].flatMap((thread) => release(thread) ?? [])];
      const workers = [...threads].map(({ worker }) => worker);
      threads.clear();
      for (const { reject } of pending) reject(new Error("the unit pool is closed"));
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };
}

/** In the sources modules end in `.ts`, in the built package in `.js`. */
function siblingModule(name: string): URL {
  return new URL(`./${name}${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`, import.meta.url);
}
