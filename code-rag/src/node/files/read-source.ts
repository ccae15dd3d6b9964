import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ListedFile } from "../../engine/prepare/examine.ts";
import type { SkipReason } from "../../engine/store/files.ts";
import { decodeText } from "./decode.ts";
import { skipText } from "./skip.ts";

/** Larger files are data, as a rule; a few of them would cost more than the rest of a repository. */
export const MAX_FILE_BYTES = 1024 * 1024;

/** A pipe that took the file's place since it was listed would keep `open` waiting for a writer. */
const NONBLOCKING = constants.O_NONBLOCK ?? 0;

/**
 * Reads a listed file: its text, or why it is not indexed. A symbolic link that took the file's place since it was
 * listed is not followed (`O_NOFOLLOW`), and a file that has grown is not read beyond the limit. Synchronous: its
 * callers have nothing else to do, and the promises of `fs` cost several times what the read does. Throws where the
 * file cannot be read.
 */
export function readSource(root: string, file: ListedFile): { text: string } | SkipReason {
  if (file.size > MAX_FILE_BYTES) return "too large";
  const descriptor = openSync(join(root, file.path), constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | NONBLOCKING);
  try {
    const stat = fstatSync(descriptor);
    if (!stat.isFile()) return "unreadable";
    if (stat.size > MAX_FILE_BYTES) return "too large";
    const text = decodeText(readFileSync(descriptor));
    if (text === undefined) return "binary";
    return skipText(file.path, text) ?? { text };
  } finally {
    closeSync(descriptor);
  }
}
