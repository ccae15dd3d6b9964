/**
 * A shallow checkout of a repository in the cache. Nothing of it runs: see `run-git.ts`; and neither the user's nor the
 * system's git configuration is read, so no filter, helper or rewrite rule applies.
 */

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, opendir, realpath, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { CodeRagError } from "../errors.ts";
import type { RepositoryUrl } from "./repository-url.ts";
import { GitError, type GitOptions, runGit } from "./run-git.ts";

export interface CloneOptions {
  readonly cache: string;
  readonly repository: RepositoryUrl;
  /** Checked by `checkRef`; the default branch if it is not given. */
  readonly ref?: string;
  readonly signal?: AbortSignal;
  readonly maxBytes?: number;
  readonly timeoutMs?: number;
}

const DEFAULT_MAX_BYTES = 2 * 1024 ** 3;
const DEFAULT_TIMEOUT_MS = 10 * 60_000;
const SIZE_CHECK_MS = 1_000;

/** The checkout's directory: one for each full URL and ref, so that hosts and refs never share one. */
export function checkoutDirectory(cache: string, repository: RepositoryUrl, ref: string | undefined): string {
  const key = createHash("sha256")
    .update(`${repository.url}\0${ref ?? ""}`)
    .digest("hex")
    .slice(0, 32);
  return join(cache, "repositories", `${repository.name}-${key}`);
}

/** Clones, or brings an earlier clone up to date. Gives the checkout's real path. */
export async function cloneRepository(options: CloneOptions): Promise<string> {
  const directory = checkoutDirectory(options.cache, options.repository, options.ref);
  try {
    if (existsSync(join(directory, ".git"))) await fetchAndCheckOut(directory, options);
    else await cloneAnew(directory, options);
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    throw new CodeRagError("clone_failed", `Cannot clone ${options.repository.url}: ${error.message}`);
  }
  return realpath(directory);
}

/** Into a directory beside it first: an interrupted clone leaves nothing that looks like a whole one. */
async function cloneAnew(directory: string, options: CloneOptions): Promise<void> {
  const partial = `${directory}.partial-${process.pid}`;
  await rm(partial, { recursive: true, force: true });
  await mkdir(partial, { recursive: true, mode: 0o700 });
  try {
    const git = (args: string[]) => runGit(args, gitOptions(partial, options));
    await git(["init", "--quiet", "--template="]);
    await git(["config", "remote.origin.url", options.repository.remote]);
    await fetchAndCheckOut(partial, options);
    await rm(directory, { recursive: true, force: true });
    await rename(partial, directory);
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

async function fetchAndCheckOut(directory: string, options: CloneOptions): Promise<void> {
  const { maxBytes = DEFAULT_MAX_BYTES } = options;
  const watch = new AbortController();
  const timer = setInterval(async () => {
    if ((await sizeOf(directory)) > maxBytes) watch.abort();
  }, SIZE_CHECK_MS);
  const signal = AbortSignal.any([watch.signal, ...(options.signal ? [options.signal] : [])]);
  const settings = { ...gitOptions(directory, options), signal };
  try {
    const source = options.ref ?? "HEAD";
    await runGit(
      ["fetch", "--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules", "--force", "--", "origin", source],
      settings,
    );
    await runGit(["checkout", "--quiet", "--force", "--detach", "FETCH_HEAD", "--"], settings);
  } catch (error) {
    if (watch.signal.aborted) throw new GitError(`it is larger than ${Math.round(maxBytes / 1024 ** 2)} MB`, null);
    throw error;
  } finally {
    clearInterval(timer);
  }
}

function gitOptions(cwd: string, options: CloneOptions): GitOptions {
  const { authorization, remote } = options.repository;
  return {
    cwd,
    timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    isolated: true,
    ...(options.signal ? { signal: options.signal } : {}),
    ...(authorization
      ? {
          env: {
            GIT_CONFIG_COUNT: "1",
            GIT_CONFIG_KEY_0: `http.${new URL(remote).origin}/.extraHeader`,
            GIT_CONFIG_VALUE_0: `Authorization: ${authorization}`,
          },
        }
      : {}),
  };
}

async function sizeOf(directory: string): Promise<number> {
  let total = 0;
  try {
    for await (const entry of await opendir(directory, { recursive: true })) {
      if (entry.isFile()) total += (await stat(join(entry.parentPath, entry.name))).size;
    }
  } catch {
    // Files come and go while git works; the next look counts them.
  }
  return total;
}
