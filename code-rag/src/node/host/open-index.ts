import { existsSync } from "node:fs";
import { VectorIndex } from "../../engine/embedding/vector-index.ts";
import type { Embedder } from "../../engine/ports.ts";
import type { SearchEngine } from "../../engine/search/search.ts";
import { readMeta } from "../../engine/store/meta.ts";
import { migrate, NewerDatabaseError } from "../../engine/store/migrate.ts";
import { CodeRagError } from "../errors.ts";
import { NodeSqlite } from "../sqlite/node-sqlite.ts";

/** Opens an index for reading and writing, made if it is absent. */
export function openIndex(path: string): NodeSqlite {
  try {
    const sql = NodeSqlite.open(path);
    migrate(sql);
    return sql;
  } catch (error) {
    throw describe(path, error);
  }
}

/** Opens an index that must be there already; never makes one. */
export function openExistingIndex(path: string): NodeSqlite {
  if (!existsSync(path)) {
    throw new CodeRagError("no_index", `No index at ${path}. Make one with: code-rag index --db ${path} PATH`);
  }
  return openIndex(path);
}

function describe(path: string, error: unknown): unknown {
  if (error instanceof NewerDatabaseError) return new CodeRagError("bad_config", error.message);
  const message = (error as Error).message;
  if (/locked|busy/i.test(message))
    return new CodeRagError("locked", `The index ${path} is locked by another process; try again.`);
  if (/not a database|malformed/i.test(message)) {
    return new CodeRagError(
      "bad_config",
      `${path} is no code-rag index. Choose another --db, or delete it and index again.`,
    );
  }
  if (/unable to open/i.test(message))
    return new CodeRagError("bad_config", `Cannot open the index ${path}; check the path and its permissions.`);
  return error;
}

/** The search over an open index; semantic only where the vectors in it are the embedder's own. */
export function searchEngine(sql: NodeSqlite, embedder: Embedder | undefined): SearchEngine {
  if (!embedder) return { sql };
  const vectors = new VectorIndex(sql, embedder.dimensions);
  return {
    sql,
    get semantic() {
      return readMeta(sql, "embedder") === embedder.id ? { embedder, vectors } : undefined;
    },
  };
}
