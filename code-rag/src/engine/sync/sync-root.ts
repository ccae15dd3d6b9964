/**
 * Brings one root's part of the index in line with its files.
 *
 * **Guarantees**: work is committed in batches of whole files, so that a crash, an abort or a failing disk keeps every
 * finished batch and the next run goes on from there; files that did not change cost their stat and nothing else;
 * one unreadable file skips that file. A run that was interrupted removes nothing.
 */

import { TEXT_KINDS } from "../declaration.ts";
import { fileRole } from "../files/role.ts";
import type { AbortSignalLike, Digest, SqlDriver } from "../ports.ts";
import { deleteFileTerms, writeFileTerms } from "../store/file-terms.ts";
import {
  deleteFileRow,
  type FileStat,
  putFile,
  type SkipReason,
  type StoredFile,
  storedFiles,
  touchFile,
} from "../store/files.ts";
import { countMeta } from "../store/meta.ts";
import type { SyncCounts } from "../store/roots.ts";
import { deleteUnits, writeUnits } from "../store/units.ts";
import type { FileUnits, UnitExtractor } from "../units/unit.ts";

/** A file as listed; `skip` is set where the listing alone rules it out. */
export interface ListedFile extends FileStat {
  readonly skip?: SkipReason;
}

export interface SyncOptions {
  readonly sql: SqlDriver;
  readonly digest: Digest;
  readonly rootId: number;
  /** Every file of the root; what is not listed is removed from the index. */
  readonly files: readonly ListedFile[];
  /** Decoded text of a file, or why it is not indexed. Rejects only when the file cannot be read. */
  readonly read: (file: ListedFile) => Promise<{ readonly text: string } | SkipReason>;
  readonly extract: UnitExtractor;
  /** Names the extractor's version; files that another version extracted are extracted again. */
  readonly extractorId: string;
  /** Files read and extracted at the same time. */
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
const BATCH_FILES = 64;
const BATCH_CHARACTERS = 1_000_000;
/** A file modified this shortly before it was read may change again within one timestamp tick. */
const RACY_MS = 2_000;

/** What was found out about one file outside the transaction. */
interface Finding {
  readonly file: ListedFile;
  readonly known: StoredFile | undefined;
  readonly checkedMs: number;
  readonly content:
    | SkipReason
    | "same"
    | { readonly hash: string; readonly characters: number; readonly units: FileUnits };
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
      let removed = false;
      for (const finding of ready) removed = writeFinding(options, finding, counts) || removed;
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
  const finding = (content: Finding["content"]): Finding => ({ file, known, checkedMs, content });
  if (file.skip !== undefined) return finding(file.skip);
  let source: { readonly text: string } | SkipReason;
  try {
    source = await options.read(file);
  } catch {
    return finding("unreadable");
  }
  if (typeof source === "string") return finding(source);
  const hash = options.digest(source.text);
  if (known?.hash === hash && known.extractor === options.extractorId) return finding("same");
  const units = await options.extract({ path: file.path, text: source.text });
  return finding({ hash, characters: source.text.length, units });
}

/** Tells whether chunks were removed. */
function writeFinding(options: SyncOptions, finding: Finding, counts: SyncCounts): boolean {
  const { sql, rootId, digest, extractorId } = options;
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
    deleteFileTerms(sql, fileId);
    counts.removed++;
    return true;
  }
  const { hash, units } = content;
  const fileId = putFile(sql, rootId, file, checkedMs, {
    hash,
    extractor: extractorId,
    language: units.language,
    quality: units.quality,
    role: fileRole(file.path, definesSomething(units)),
    lines: units.units.reduce((last, unit) => Math.max(last, unit.endLine), 0),
  });
  if (known && known.skipped === null) counts.updated++;
  else counts.added++;
  writeFileTerms(sql, fileId, file.path, units);
  return writeUnits(sql, fileId, file.path, units, digest);
}

function removeUnlisted(sql: SqlDriver, known: ReadonlyMap<string, StoredFile>, files: readonly ListedFile[]): number {
  const listed = new Set(files.map((file) => file.path));
  const gone = [...known.values()].filter((file) => !listed.has(file.path));
  for (let start = 0; start < gone.length; start += BATCH_FILES) {
    sql.transaction(() => {
      for (const file of gone.slice(start, start + BATCH_FILES)) {
        deleteUnits(sql, file.id);
        deleteFileTerms(sql, file.id);
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

function definesSomething({ units }: FileUnits): boolean {
  return units.some((unit) => unit.form === "definition" && !TEXT_KINDS.includes(unit.kind));
}
