/** What a sync needs to know about a file, and how it is found out. */

import type { StaticEmbedder } from "../embedding/static-table.ts";
import type { Digest } from "../ports.ts";
import type { FileStat, SkipReason } from "../store/files.ts";
import type { UnitExtractor } from "../units/unit.ts";
import { type PreparedFile, prepareFile } from "./prepare-file.ts";

/** A file as listed; `skip` is set where the listing alone rules it out. */
export interface ListedFile extends FileStat {
  readonly skip?: SkipReason;
}

/** Why a file is not indexed; that it holds what it held; or what the index stores of it. */
export type Examined = SkipReason | "same" | PreparedFile;

/**
 * Reads a file and prepares what changed. It hides where that runs (threads in Node, in place elsewhere).
 * Never rejects for what a file is or contains.
 * @param knownHash of the text that the index has by the same extractor.
 */
export type FileExaminer = (file: ListedFile, knownHash: string | undefined) => Promise<Examined>;

export interface ExaminerParts {
  /** Decoded text of a file, or why it is not indexed. Rejects only when the file cannot be read. */
  readonly read: (file: ListedFile) => Promise<{ readonly text: string } | SkipReason>;
  readonly extract: UnitExtractor;
  readonly digest: Digest;
  /** Makes vectors along with the rest. */
  readonly embedder?: StaticEmbedder;
}

/** An examiner that does its work where it is called. */
export function fileExaminer({ read, extract, digest, embedder }: ExaminerParts): FileExaminer {
  return async (file, knownHash) => {
    const source = await read(file).catch(() => "unreadable" as const);
    if (typeof source === "string") return source;
    const hash = digest(source.text);
    if (hash === knownHash) return "same";
    const text = { path: file.path, text: source.text };
    return prepareFile(text, hash, await extract(text), digest, embedder);
  };
}
