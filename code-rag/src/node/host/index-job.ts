/** One index run over some roots: list, sync, embed. It runs on whatever thread calls it. */

import { basename, relative } from "node:path";
import type { Embedder } from "../../engine/ports.ts";
import type { FileExaminer } from "../../engine/prepare/examine.ts";
import { mergeIndexes } from "../../engine/store/merge-indexes.ts";
import { ensureRoot, finishSync, type SyncCounts } from "../../engine/store/roots.ts";
import {
  adoptEmbedder,
  dropVectors,
  embedderChanged,
  embedMissing,
  pruneVectors,
} from "../../engine/sync/embed-missing.ts";
import { SyncAborted, syncRoot } from "../../engine/sync/sync-root.ts";
import { listFiles } from "../files/list-files.ts";
import { headRevision } from "../git/revision.ts";
import type { NodeSqlite } from "../sqlite/node-sqlite.ts";

/** A directory to index; for a clone, with where it came from. */
export interface RootTarget {
  /** Real path. */
  readonly directory: string;
  readonly name?: string;
  readonly url?: string;
  readonly ref?: string;
}

export type IndexPhase = "list" | "index" | "embed" | "summarize";

export interface IndexProgress {
  readonly root: string;
  readonly phase: IndexPhase;
  readonly done: number;
  readonly total: number;
}

export interface RootReport extends SyncCounts {
  readonly root: string;
  readonly files: number;
}

export interface JobReport {
  readonly roots: readonly RootReport[];
  readonly warnings: readonly string[];
}

export interface IndexJob {
  readonly sql: NodeSqlite;
  /** Path of the index itself, which may lie in a root and is no source. */
  readonly database: string;
  readonly targets: readonly RootTarget[];
  /** Reads and prepares files below a directory. */
  readonly examinerOf: (root: string) => FileExaminer;
  readonly extractorId: string;
  readonly concurrency: number;
  readonly embedder?: Embedder;
  /** Make all vectors anew. */
  readonly reindex?: boolean;
  /** Writes summaries, between indexing and embedding; gives a warning where it had to stop. */
  readonly summarize?: (onProgress: (done: number, total: number) => void) => Promise<string | undefined>;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: IndexProgress) => void;
}

/** A run that wrote more than this share of all files ends with merging the word indexes. */
const MERGE_SHARE = 0.05;

/** Runs to the end and reports on every root; an abort throws `SyncAborted` and keeps what is done. */
export async function runIndexJob(job: IndexJob): Promise<JobReport> {
  const warnings: string[] = [];
  if (job.embedder) {
    // Before anything is written: files may bring their vectors along.
    if (embedderChanged(job.sql, job.embedder))
      warnings.push(`The embedding model is ${job.embedder.id} now: all vectors are made anew.`);
    else if (job.reindex) dropVectors(job.sql);
    adoptEmbedder(job.sql, job.embedder);
  }
  const reports: RootReport[] = [];
  for (const target of job.targets) reports.push(await syncTarget(job, target));
  for (const { root, files } of reports)
    if (files === 0) warnings.push(`${root} has no files to index. Are they all ignored?`);
  const stopped = await job.summarize?.((done, total) => job.onProgress({ root: "", phase: "summarize", done, total }));
  if (stopped) warnings.push(stopped);
  if (job.embedder) {
    await embedMissing(job.sql, job.embedder, {
      signal: job.signal,
      onProgress: ({ embedded, total }) => job.onProgress({ root: "", phase: "embed", done: embedded, total }),
    });
    if (job.signal.aborted) throw new SyncAborted();
  }
  if (reports.some((report) => report.removed + report.updated > 0)) pruneVectors(job.sql);
  if (wroteMuch(reports)) mergeIndexes(job.sql, job.signal);
  return { roots: reports, warnings };
}

/** One changed file is searched at once; it is not worth writing the whole word index anew. */
function wroteMuch(reports: readonly RootReport[]): boolean {
  const files = reports.reduce((sum, report) => sum + report.files, 0);
  const written = reports.reduce((sum, { added, updated, removed }) => sum + added + updated + removed, 0);
  return written > files * MERGE_SHARE;
}

async function syncTarget(job: IndexJob, target: RootTarget): Promise<RootReport> {
  const { sql, signal } = job;
  const root = ensureRoot(sql, {
    location: target.directory,
    name: target.name ?? (basename(target.directory) || "root"),
    ...(target.url === undefined ? {} : { url: target.url }),
    ...(target.ref === undefined ? {} : { ref: target.ref }),
  });
  job.onProgress({ root: root.name, phase: "list", done: 0, total: 0 });
  const revision = headRevision(target.directory, signal);
  // Its failure is met below; until then nobody waits for it.
  revision.catch(() => {});
  const listing = await listFiles(target.directory, signal);
  const ownFile = relative(target.directory, job.database).replaceAll("\\", "/");
  const listed = listing.files.filter((file) => !isPartOf(ownFile, file.path));
  const counts = await syncRoot({
    sql,
    rootId: root.id,
    files: listed,
    examine: job.examinerOf(target.directory),
    extractorId: job.extractorId,
    concurrency: job.concurrency,
    now: Date.now,
    signal,
    onProgress: (done, total) => job.onProgress({ root: root.name, phase: "index", done, total }),
  });
  finishSync(sql, root.id, counts, await revision, Date.now());
  const files = listed.filter((file) => file.skip === undefined).length;
  return { root: root.name, files, ...counts };
}

/** The database, or one of the files that are kept beside it (`-wal`, `-shm`, `-writer`). */
function isPartOf(database: string, path: string): boolean {
  return (
    path === database ||
    (path.startsWith(database) && /^-(?:wal|shm|journal|writer)$/.test(path.slice(database.length)))
  );
}
