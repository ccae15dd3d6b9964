/** The tuning queries and the repositories that they are about (`README.md` in the data directory says where from). */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Target } from "./ndcg.ts";

export interface BenchRepository {
  readonly name: string;
  readonly language: string;
  /** The directory to index, on this machine. */
  readonly directory: string;
  readonly sembleNdcg: number;
  readonly queries: readonly BenchQuery[];
}

export interface BenchQuery {
  readonly text: string;
  readonly category: string;
  /** Paths relative to `directory`. */
  readonly targets: readonly Target[];
}

interface RepositoryEntry {
  readonly name: string;
  readonly url: string;
  readonly language: string;
  readonly benchmark_root?: string | null;
  readonly semble_ndcg10: number;
}

type TargetEntry = string | { readonly path: string; readonly start_line?: number; readonly end_line?: number };

interface AnnotationEntry {
  readonly query: string;
  readonly category: string;
  readonly relevant: readonly TargetEntry[];
  readonly secondary: readonly TargetEntry[];
}

/** Repositories that are present below `repositories`, with their queries; absent ones are named on stderr. */
export function loadRepositories(data: string, repositories: string, only?: readonly string[]): BenchRepository[] {
  return readEntries(data, only).flatMap((entry) => {
    const checkout = join(repositories, entry.name);
    const directory = join(checkout, entry.benchmark_root ?? "");
    if (!existsSync(directory)) {
      console.error(`${entry.name}: not in ${repositories}, left out`);
      return [];
    }
    const annotations = JSON.parse(
      readFileSync(join(data, "annotations", `${entry.name}.json`), "utf8"),
    ) as AnnotationEntry[];
    const queries = annotations.map((annotation) => ({
      text: annotation.query,
      category: annotation.category,
      targets: [...annotation.relevant, ...annotation.secondary].map((target) =>
        toTarget(target, entry.benchmark_root),
      ),
    }));
    return [{ name: entry.name, language: entry.language, directory, sembleNdcg: entry.semble_ndcg10, queries }];
  });
}

/**
 * Git directories of the repositories below `histories`, where they lie as `OWNER+NAME/repo` or `NAME/.git`; absent ones
 * are named on stderr.
 */
export function loadHistories(
  data: string,
  histories: string,
  only?: readonly string[],
): { readonly name: string; readonly git: string }[] {
  return readEntries(data, only).flatMap(({ name, url }) => {
    const full = url.replace(/^https:\/\/[^/]+\//, "").replace(/\.git$/, "");
    const places = [join(histories, full.replace("/", "+"), "repo"), join(histories, name, ".git")];
    const git = places.find((place) => existsSync(place));
    if (!git) console.error(`${name}: no history in ${histories}, left out`);
    return git ? [{ name, git }] : [];
  });
}

function readEntries(data: string, only?: readonly string[]): RepositoryEntry[] {
  const entries = JSON.parse(readFileSync(join(data, "repos.json"), "utf8")) as RepositoryEntry[];
  return entries.filter(({ name }) => only === undefined || only.includes(name));
}

/** Some annotations name paths from the checkout's top, others from the benchmark's root. */
function toTarget(entry: TargetEntry, benchmarkRoot: string | null | undefined): Target {
  const target = typeof entry === "string" ? { path: entry } : entry;
  const prefix = benchmarkRoot ? `${benchmarkRoot}/` : "";
  const path = target.path.startsWith(prefix) ? target.path.slice(prefix.length) : target.path;
  if (typeof entry === "string" || entry.start_line === undefined) return { path };
  return { path, startLine: entry.start_line, endLine: entry.end_line ?? entry.start_line };
}
