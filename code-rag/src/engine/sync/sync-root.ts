/**
 * Brings one root's part of the index in line with its files.
 *
 * **Guarantees**: work is committed in batches of whole files, so that a crash, an abort or a failing disk keeps every
 * finished batch and the next run goes on from there; files that did not change cost their stat and nothing else;
 * one unreadable file skips that file. A run that was interrupted removes nothing.
 */

import type { AbortSignalLike, SqlDriver } from "../ports.ts";
import type { Examined, FileExaminer, ListedFile } from "../prepare/examine.ts";
import { deleteFileRow, putFile, type StoredFile, storedFiles, touchFile } from "../store/files.ts";
import { countMeta, writeMeta } from "../store/meta.ts";
import type { SyncCounts } from "../store/roots.ts";
import { hasSummaries } from "../store/summaries.ts";
import { deleteUnits, writeUnits } from "../store/units.ts";
import { putFileVectors } from "../store/vectors.ts";

export interface SyncOptions {
  readonly sql: SqlDriver;
  readonly rootId: number;
  /** Every file of the root; what is not listed is removed from the index. */
  readonly files: readonly ListedFile[];
  readonly examine: FileExaminer;
  /** Names the extractor's version; files that another version extracted are extracted again. */
  readonly extractorId: string;
  /** Files examined at the same time. */
  readonly concurrency: number;
  readonly now: () => number;
  readonly signal?: AbortSignalLike;
  readonly onProgress?: (done: number, total: number) => void;
}

export class SyncAborted extends Error {
  constructor() {
    super("Indexing was interrupted; everything finished so far is kept.");
  }
}

/** A batch is committed when it holds this many files or this much text. */
const BATCH_FILES = 256;
const BATCH_CHARACTERS = 2_000_000;
/** A file modified this shortly before it was read may change again within one timestamp tick. */
const RACY_MS = 2_000;

/** What was found out about one file outside the transaction. */
interface Finding {
  readonly file: ListedFile;
  readonly known: StoredFile | undefined;
  readonly checkedMs: number;
  readonly content: Examined;
}

/** Runs a sync to its end and gives what it did, in indexed files: skipped ones are not counted. Throws `SyncAborted` when the signal fires. */
export async function syncRoot(options: SyncOptions): Promise<SyncCounts> {
  const { sql, rootId, files } = options;
  const known = storedFiles(sql, rootId);
  const counts: SyncCounts = { added: 0, updated: 0, removed: 0, unchanged: 0 };
  const pending: ListedFile[] = [];
  for (const file of files) {
    const before = known.get(file.path);
    if (!before || !isUnchanged(before, file, options.extractorId)) pending.push(file);
    else if (before.skipped === null) counts.unchanged++;
  }
  let done = files.length - pending.length;
  options.onProgress?.(done, files.length);

  let batch: Finding[] = [];
  let characters = 0;
  const commit = () => {
    if (batch.length === 0) return;
    const ready = batch;
    batch = [];
    characters = 0;
    sql.transaction(() => {
      const summarized = hasSummaries(sql);
      let removed = false;
      for (const finding of ready) removed = writeFinding(options, finding, summarized, counts) || removed;
      if (removed) countMeta(sql, "removals");
    });
    done += ready.length;
    options.onProgress?.(done, files.length);
  };
  const take = (finding: Finding) => {
    batch.push(finding);
    if (typeof finding.content === "object") characters += finding.content.characters;
    if (batch.length >= BATCH_FILES || characters >= BATCH_CHARACTERS) commit();
  };

  await inParallel(pending, options.concurrency, async (file) => {
    if (options.signal?.aborted) return;
    take(await examine(options, file, known.get(file.path)));
  });
  commit();
  if (options.signal?.aborted) throw new SyncAborted();
  counts.removed = removeUnlisted(sql, known, files);
  return counts;
}

/** Same size, same time, same extractor; not modified so recently that the clock could hide a second change. */
function isUnchanged(stored: StoredFile, file: ListedFile, extractorId: string): boolean {
  if (file.skip !== undefined) return stored.skipped === file.skip;
  // Permissions may have changed, and that moves no timestamp.
  if (stored.skipped === "unreadable") return false;
  return (
    stored.size === file.size &&
    stored.modified_ms === file.modifiedMs &&
    stored.modified_ms < stored.checked_ms - RACY_MS &&
    (stored.skipped !== null || stored.extractor === extractorId)
  );
}

async function examine(options: SyncOptions, file: ListedFile, known: StoredFile | undefined): Promise<Finding> {
  const checkedMs = options.now();
  const finding = (content: Examined): Finding => ({ file, known, checkedMs, content });
  if (file.skip !== undefined) return finding(file.skip);
  const knownHash = known?.extractor === options.extractorId ? (known.hash ?? undefined) : undefined;
  return finding(await options.examine(file, knownHash));
}

/** Tells whether chunks were removed. */
function writeFinding(options: SyncOptions, finding: Finding, summarized: boolean, counts: SyncCounts): boolean {
  const { sql, rootId, extractorId } = options;
  const { file, known, checkedMs, content } = finding;
  if (content === "same") {
    touchFile(sql, (known as StoredFile).id, file, checkedMs);
    counts.unchanged++;
    return false;
  }
  if (typeof content === "string") {
    const fileId = putFile(sql, rootId, file, checkedMs, content);
    const wasIndexed = known !== undefined && known.skipped === null;
    if (!wasIndexed) return false;
    deleteUnits(sql, fileId);
    counts.removed++;
    return true;
  }
  const fileId = putFile(sql, rootId, file, checkedMs, { ...content, extractor: extractorId });
  if (known && known.skipped === null) counts.updated++;
  else counts.added++;
  // Vectors are of texts; where a model wrote summaries, `embedMissing` embeds those.
  if (!summarized && content.vectors) putFileVectors(sql, content);
  else writeMeta(sql, "embedded", "no");
  const owner = { id: fileId, pathTerms: content.pathTerms, hasSummaries: summarized };
  return writeUnits(sql, owner, content.units);
}

function removeUnlisted(sql: SqlDriver, known: ReadonlyMap<string, StoredFile>, files: readonly ListedFile[]): number {
  const listed = new Set(files.map((file) => file.path));
  const gone = [...known.values()].filter((file) => !listed.has(file.path));
  for (let start = 0; start < gone.length; start += BATCH_FILES) {
    sql.transaction(() => {
      for (const file of gone.slice(start, start + BATCH_FILES)) {
        deleteUnits(sql, file.id);
        deleteFileRow(sql, file.id);
      }
      countMeta(sql, "removals");
    });
  }
  return gone.filter((file) => file.skipped === null).length;
}

async function inParallel<T>(items: readonly T[], width: number, work: (item: T) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < items.length) await work(items[next++] as T);
  };
  await Promise.all(Array.from({ length: Math.max(1, width) }, lane));
}
