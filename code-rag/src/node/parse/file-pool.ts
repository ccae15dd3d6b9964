/**
 * Files read, split into units and prepared for the index by threads. Whatever a file does to its grammar (throw, crash,
 * never come back), the file still gets units, by lines, and the files after it are not touched by it: its thread is
 * replaced.
 *
 * Each thread has some files waiting with it, so that it goes on while its owner writes to the database.
 */

import { availableParallelism } from "node:os";
import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { type Examined, type FileExaminer, fileExaminer } from "../../engine/prepare/examine.ts";
import { extractUnits } from "../../engine/units/extract.ts";
import { readSource } from "../files/read-source.ts";
import { sha256 } from "../host/digest.ts";
import type { FileJob, FileWorkerData, WorkerAnswer } from "./file-worker.ts";

export interface FilePoolOptions {
  /** Make vectors of the built-in embedding as well. */
  readonly embed: boolean;
  /** Threads at most; they start when there is work for them. Default: one a core, four at most. */
  readonly threads?: number;
  /** Longest time for one file. The parser has a budget of its own; this is for scanners that never return to it. */
  readonly timeoutMs?: number;
  /** Told of each file that was split by lines because its grammar failed. */
  readonly onFailure?: (path: string, reason: string) => void;
  /** The thread's module. */
  readonly workerUrl?: URL;
}

export interface FilePool {
  /** An examiner of files below a directory. It never rejects, except after `close`. Ask for many files at once: they queue. */
  readonly examinerOf: (root: string) => FileExaminer;
  /** Stops the threads. Files not yet answered are rejected. */
  close(): Promise<void>;
}

interface Task extends FileJob {
  readonly resolve: (examined: Examined | Promise<Examined>) => void;
  readonly reject: (reason: Error) => void;
}

interface Thread {
  readonly worker: Worker;
  /** What it was sent and has not answered; it works on the first. */
  readonly tasks: Task[];
  bytes: number;
  /** Endings of the files that it has had: their grammars and queries are at hand there. */
  readonly knows: Set<string>;
  timer: NodeJS.Timeout | undefined;
}

const DEFAULT_TIMEOUT_MS = 20_000;
/** What waits with a thread, at most: as much as it does while a batch is written. One larger file may wait alone. */
const AHEAD_BYTES = 1024 * 1024;
const AHEAD_FILES = 256;
/** As long as the other threads have less than this to do, another one would take longer to start than to help. */
const WORTH_A_THREAD_BYTES = 64 * 1024;
const WORTH_A_THREAD_FILES = 16;
/** A thread's first file of a language takes as long as this much more of it: a query takes up to 0.25 s to compile. */
const NEW_GRAMMAR_BYTES = 128 * 1024;

/**
 * Without limits a heap grows to twice what lives in it before it is cleaned. A file that needs more than this (none of a
 * megabyte is known to) ends its thread, and is split by lines.
 */
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 24, maxOldGenerationSizeMb: 256 };

export function createFilePool(options: FilePoolOptions): FilePool {
  const size = options.threads ?? Math.min(4, availableParallelism());
  const timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  const workerUrl = options.workerUrl ?? siblingModule("file-worker");
  const threads = new Set<Thread>();
  const queue: Task[] = [];
  let closed = false;

  function startThread(): Thread {
    const workerData: FileWorkerData = { embed: options.embed };
    const worker = new Worker(workerUrl, { workerData, resourceLimits: RESOURCE_LIMITS });
    const thread: Thread = { worker, tasks: [], bytes: 0, knows: new Set(), timer: undefined };
    threads.add(thread);
    worker.on("message", (answer: WorkerAnswer) => {
      if (!threads.has(thread)) return;
      if ("crashed" in answer) {
        fail(thread, answer.crashed);
        return;
      }
      const task = thread.tasks.shift();
      if (!task) return;
      thread.bytes -= task.file.size;
      watch(thread);
      task.resolve(answer.examined);
      send();
    });
    worker.on("error", (error) => fail(thread, error instanceof Error ? error.message : String(error)));
    worker.on("exit", () => fail(thread, "the parser thread ended"));
    return thread;
  }

  function send(): void {
    for (let task = queue[0]; task; task = queue[0]) {
      const thread = threadFor(task);
      if (!thread) return;
      queue.shift();
      thread.tasks.push(task);
      thread.knows.add(extname(task.file.path));
      thread.bytes += task.file.size;
      if (thread.tasks.length === 1) watch(thread);
      const job: FileJob = { root: task.root, file: task.file, knownHash: task.knownHash };
      thread.worker.postMessage(job);
    }
  }

  /** The thread that will come to it first; undefined if none has room. */
  function threadFor(task: Task): Thread | undefined {
    const ending = extname(task.file.path);
    const wait = (thread: Thread) => thread.bytes + (thread.knows.has(ending) ? 0 : NEW_GRAMMAR_BYTES);
    let least: Thread | undefined;
    for (const thread of threads) if (!least || wait(thread) < wait(least)) least = thread;
    if (threads.size < size && (!least || isBusy(least))) return startThread();
    if (!least || least.tasks.length === 0) return least;
    const fits = least.tasks.length < AHEAD_FILES && least.bytes + task.file.size <= AHEAD_BYTES;
    return fits ? least : undefined;
  }

  function isBusy(thread: Thread): boolean {
    return thread.bytes >= WORTH_A_THREAD_BYTES || thread.tasks.length >= WORTH_A_THREAD_FILES;
  }

  /** Starts the clock for the file that the thread is at. An idle thread does not keep the process alive. */
  function watch(thread: Thread): void {
    clearTimeout(thread.timer);
    const [task] = thread.tasks;
    if (!task) {
      thread.worker.unref();
      return;
    }
    thread.worker.ref();
    thread.timer = setTimeout(() => {
      // While its owner was busy, the thread's answer may have come in and wait to be read.
      setImmediate(() => {
        if (thread.tasks[0] === task) fail(thread, `took more than ${timeoutMs} ms`);
      });
    }, timeoutMs);
  }

  /** Replaces a thread: the file that it was at is split by lines, those that waited with it go to others. */
  function fail(thread: Thread, reason: string): void {
    if (!threads.delete(thread)) return;
    clearTimeout(thread.timer);
    void thread.worker.terminate();
    const [suspect, ...waiting] = thread.tasks.splice(0);
    queue.unshift(...waiting);
    if (suspect) {
      options.onFailure?.(suspect.file.path, reason);
      suspect.resolve(byLines(suspect));
    }
    send();
  }

  return {
    examinerOf: (root) => (file, knownHash) =>
      new Promise((resolve, reject) => {
        if (closed) {
          reject(new Error("the file pool is closed"));
          return;
        }
        queue.push({ root, file, knownHash, resolve, reject });
        send();
      }),
    async close() {
      closed = true;
      const pending = [...queue.splice(0), ...[...threads].flatMap((thread) => thread.tasks.splice(0))];
      const workers = [...threads].map(({ worker, timer }) => {
        clearTimeout(timer);
        return worker;
      });
      threads.clear();
      for (const { reject } of pending) reject(new Error("the file pool is closed"));
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };
}

/** In place, without a grammar, and without vectors: those come later. */
function byLines({ root, file, knownHash }: FileJob): Promise<Examined> {
  const examine = fileExaminer({
    read: async (listed) => readSource(root, listed),
    extract: async (source) => extractUnits(source, undefined),
    digest: sha256,
  });
  return examine(file, knownHash);
}

/** In the sources modules end in `.ts`, in the built package in `.js`. */
function siblingModule(name: string): URL {
  return new URL(`./${name}${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`, import.meta.url);
}
