import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import type { SkipReason } from "../../engine/store/files.ts";
import type { ListedFile } from "../../engine/sync/sync-root.ts";
import { decodeText } from "./decode.ts";
import { skipText } from "./skip.ts";

/** Larger files are data, as a rule; a few of them would cost more than the rest of a repository. */
export const MAX_FILE_BYTES = 1024 * 1024;

/**
 * Reads a listed file: its text, or why it is not indexed. A symbolic link that took the file's place since it was
 * listed is not followed (`O_NOFOLLOW`), and a file that has grown is not read beyond the limit.
 */
export async function readSource(root: string, file: ListedFile): Promise<{ text: string } | SkipReason> {
  if (file.size > MAX_FILE_BYTES) return "too large";
  const handle = await open(join(root, file.path), constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  try {
    const stat = await handle.stat();
    if (!stat.isFile()) return "unreadable";
    if (stat.size > MAX_FILE_BYTES) return "too large";
    const text = decodeText(await handle.readFile());
    if (text === undefined) return "binary";
    return skipText(file.path, text) ?? { text };
  } finally {
    await handle.close();
  }
}
