import { GitError, runGit } from "./run-git.ts";

/** The commit that is checked out, or null where there is none. */
export async function headRevision(directory: string, signal?: AbortSignal): Promise<string | null> {
  try {
    const options = { cwd: directory, timeoutMs: 10_000, ...(signal ? { signal } : {}) };
    return (await runGit(["rev-parse", "--verify", "--quiet", "HEAD"], options)).toString("ascii").trim() || null;
  } catch (error) {
    if (error instanceof GitError) return null;
    throw error;
  }
}
