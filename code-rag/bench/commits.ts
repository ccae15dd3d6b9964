/**
 * Commit subject → files that it changed, asked of the tree before the commit: Recall@5 and Recall@10 of files.
 * Histories come as git directories, one for each repository of `repos.json`.
 */

import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { builtInEmbedder } from "../src/node/host/built-in-embedder.ts";
import { mean } from "./lib/bootstrap.ts";
import { type Commit, chooseCommits } from "./lib/commits.ts";
import { openBenchIndex } from "./lib/open-bench-index.ts";
import { compare, type Scores } from "./lib/report.ts";
import { RevisionTree } from "./lib/revision-tree.ts";
import { loadHistories } from "./lib/semble-data.ts";
import { systems } from "./lib/systems.ts";

export interface CommitOptions {
  readonly data: string;
  readonly histories: string;
  readonly commits: number;
  /** Names of the repositories to take; all if it is not given. */
  readonly only: readonly string[] | undefined;
  readonly ablation: boolean;
  readonly baselines: boolean;
}

export async function benchCommits(options: CommitOptions): Promise<void> {
  const embedder = builtInEmbedder();
  const [five, ten]: [Scores, Scores] = [new Map(), new Map()];
  const scratch = mkdtempSync(join(tmpdir(), "code-rag-commits-"));
  try {
    for (const { name, git } of loadHistories(options.data, options.histories, options.only)) {
      const tree = join(scratch, name);
      mkdirSync(tree);
      const revisions = new RevisionTree(git, tree);
      const before = five.get("code-rag")?.length ?? 0;
      for (const commit of chooseCommits(git, options.commits)) {
        revisions.moveTo(`${commit.id}^`);
        const wanted = commit.files.filter((file) => existsSync(join(tree, file)));
        const sql = await openBenchIndex(scratch, name, { directory: tree }, "commits", embedder);
        for (const [system, ranker] of systems(sql, embedder, tree, options)) {
          const results = await ranker(commit.subject, 60);
          const files = [...new Set(results.map((result) => result.path))];
          push(five, system, recall(files.slice(0, 5), wanted));
          push(ten, system, recall(files.slice(0, 10), wanted));
        }
        sql.close();
      }
      const own = (scores: Scores) => mean((scores.get("code-rag") ?? []).slice(before)).toFixed(3);
      console.log(
        `${name.padEnd(20)} ${(five.get("code-rag")?.length ?? 0) - before} commits  R@5 ${own(five)}  R@10 ${own(ten)}`,
      );
      rmSync(tree, { recursive: true });
      rmSync(join(scratch, `${name}.db`), { force: true });
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  compare("Recall@5", five);
  compare("Recall@10", ten);
}

function recall(found: readonly string[], wanted: Commit["files"]): number {
  return wanted.filter((file) => found.includes(file)).length / wanted.length;
}

function push(scores: Scores, system: string, value: number): void {
  scores.set(system, [...(scores.get(system) ?? []), value]);
}
