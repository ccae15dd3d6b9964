/**
 * Which files a root has.
 *
 * In a checkout git says so: tracked files and untracked ones that no ignore rule hides. Elsewhere the tree is walked
 * under the same rules. Either way: `.git` is never entered, repositories inside the root are not part of it, and
 * symbolic links are not followed (what they point to inside the root is found in its own place).
 */

import { lstatSync } from "node:fs";
import { join } from "node:path";
import type { ListedFile } from "../../engine/prepare/examine.ts";
import { GitError, runGit } from "../git/run-git.ts";
import { isSecretFile } from "./secrets.ts";
import { walk } from "./walk.ts";

export interface Listing {
  readonly files: readonly ListedFile[];
  /** Who listed them. */
  readonly by: "git" | "walk";
}

const LIST_TIMEOUT_MS = 120_000;

/** Lists a directory. Never fails for what the tree contains. */
export async function listFiles(root: string, signal?: AbortSignal): Promise<Listing> {
  const tracked = await gitPaths(root, signal);
  // An ignored directory of a larger checkout lists nothing there, but is what the user named.
  if (tracked && tracked.length > 0) return { files: toListed(root, tracked), by: "git" };
  return { files: toListed(root, walk(root)), by: "walk" };
}

/** Paths as git lists them; undefined outside of a checkout, or where git cannot be used. */
async function gitPaths(root: string, signal: AbortSignal | undefined): Promise<(string | Buffer)[] | undefined> {
  try {
    const args = ["ls-files", "--cached", "--others", "--exclude-standard", "-z"];
    const output = await runGit(args, { cwd: root, timeoutMs: LIST_TIMEOUT_MS, ...(signal ? { signal } : {}) });
    return splitNul(output);
  } catch (error) {
    if (error instanceof GitError && !signal?.aborted) return undefined;
    throw error;
  }
}

/** Names separated by NUL; one that is not UTF-8 stays bytes. */
function splitNul(output: Buffer): (string | Buffer)[] {
  const names: (string | Buffer)[] = [];
  for (let start = 0; start < output.length; ) {
    const end = output.indexOf(0, start);
    const name = output.subarray(start, end === -1 ? output.length : end);
    const text = name.toString("utf8");
    names.push(text.includes("\ufffd") && !Buffer.from(text).equals(name) ? Buffer.from(name) : text);
    start = end === -1 ? output.length : end + 1;
  }
  return names;
}

function toListed(root: string, names: Iterable<string | Buffer>): ListedFile[] {
  const files = new Map<string, ListedFile>();
  for (const name of names) {
    const file = typeof name === "string" ? statFile(root, name) : unnameable(name);
    // While a merge is unresolved git lists a path once for each side.
    if (file) files.set(file.path, file);
  }
  return [...files.values()];
}

function statFile(root: string, path: string): ListedFile | undefined {
  // Git prints a repository inside this one as a directory.
  if (path.endsWith("/") || path.split("/").includes(".git")) return undefined;
  try {
    const stat = lstatSync(join(root, path));
    if (stat.isDirectory()) return { path, size: 0, modifiedMs: 0, skip: "submodule" };
    if (!stat.isFile()) return undefined;
    const listed = { path, size: stat.size, modifiedMs: Math.floor(stat.mtimeMs) };
    return isSecretFile(path) ? { ...listed, skip: "secret" } : listed;
  } catch {
    // Tracked but deleted, or gone since it was listed.
    return undefined;
  }
}

function unnameable(name: Buffer): ListedFile {
  return { path: name.toString("latin1"), size: 0, modifiedMs: 0, skip: "unreadable" };
}
