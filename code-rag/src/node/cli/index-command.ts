import { resolve } from "node:path";
import { SyncAborted } from "../../engine/sync/sync-root.ts";
import { CodeRagError } from "../errors.ts";
import { cacheDirectory } from "../host/database-path.ts";
import { Indexer } from "../host/indexer.ts";
import { openIndex } from "../host/open-index.ts";
import { parseTarget, prepareTarget, storedTargets, type Target } from "../host/targets.ts";
import { createEmbedder } from "../models/create-embedder.ts";
import { createModel } from "../models/create-model.ts";
import { modelSettings } from "../models/settings.ts";
import type { Arguments } from "./arguments.ts";
import { ProgressDisplay } from "./progress.ts";

/** `code-rag index`: brings the index up to date and says what changed. Gives the exit code. */
export async function indexCommand(args: Arguments, env: NodeJS.ProcessEnv): Promise<number> {
  const database = resolve(args.db ?? "index.db");
  const models = modelSettings(args, env);
  // Missing keys are said before anything is cloned or read.
  await createModel(models, env);
  await createEmbedder(models, env);
  const targets = namedTargets(args, database, env);
  const cache = args.cache ?? cacheDirectory(env);
  const abort = new AbortController();
  process.once("SIGINT", () => abort.abort());
  const display = new ProgressDisplay();
  const indexer = new Indexer({ database, models });
  try {
    const roots = [];
    for (const target of targets) roots.push(await prepareTarget(target, cache, abort.signal));
    indexer.onChange = (state) => display.update(state);
    abort.signal.addEventListener("abort", () => indexer.abort());
    const run = indexer.run({ targets: roots, reindex: args.reindex });
    if (abort.signal.aborted) indexer.abort();
    const report = await run;
    display.clear();
    if (args.json) {
      console.log(JSON.stringify({ db: database, ...report }));
    } else {
      for (const root of report.roots) {
        console.error(
          `${root.root}: ${root.added} added, ${root.updated} updated, ${root.removed} removed, ${root.unchanged} unchanged`,
        );
      }
      console.error(`Index: ${database}`);
    }
    for (const warning of report.warnings) console.error(`Warning: ${warning}`);
    return 0;
  } catch (error) {
    display.clear();
    if (!(error instanceof SyncAborted || abort.signal.aborted)) throw error;
    console.error("Interrupted; everything finished so far is kept.");
    return 130;
  } finally {
    await indexer.close();
  }
}

/** Named paths and URLs; without any, what the index has already, or this directory. */
function namedTargets(args: Arguments, database: string, env: NodeJS.ProcessEnv): readonly Target[] {
  const named = [...args.operands, ...(args.repo ? [args.repo] : [])];
  if (named.length > 0) return named.map((name) => parseTarget(name, args.ref, env));
  const sql = openIndex(database);
  const stored = storedTargets(sql, env);
  sql.close();
  if (stored.length > 0) return stored;
  if (args.ref) throw new CodeRagError("usage", "--ref needs a repository: --repo URL.");
  return [parseTarget(".", undefined, env)];
}
