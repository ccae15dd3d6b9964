import { createHash } from "node:crypto";
import { homedir } from "node:os";
import { join } from "node:path";

/** `$XDG_CACHE_HOME/code-rag`, by default `~/.cache/code-rag`: nothing is written into an indexed tree. */
export function cacheDirectory(env: NodeJS.ProcessEnv = process.env): string {
  return env.CODE_RAG_CACHE || join(env.XDG_CACHE_HOME || join(homedir(), ".cache"), "code-rag");
}

/** The database for a set of roots when none is named: the same roots give the same file, in any order. */
export function defaultDatabase(locations: readonly string[], cache: string): string {
  const key = createHash("sha256")
    .update([...locations].sort().join("\0"))
    .digest("hex")
    .slice(0, 24);
  return join(cache, `${key}.db`);
}
