/**
 * Speed and memory: cold index, warm start, one changed file, queries; each directory beside `git grep` where it is a
 * checkout.
 *
 *   npm run bench:index -- DIRECTORY …
 */

import { spawnSync } from "node:child_process";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { type SearchEngine, search } from "../src/engine/search/search.ts";
import { builtInEmbedder } from "../src/node/host/built-in-embedder.ts";
import { openIndex, searchEngine } from "../src/node/host/open-index.ts";

const MAIN = new URL("../src/node/main.ts", import.meta.url).pathname;
const QUERIES = 200;

const directories = process.argv.slice(2).map((argument) => resolve(argument));
if (directories.length === 0) {
  console.error("Usage: npm run bench:index -- DIRECTORY …");
  process.exit(1);
}
for (const directory of directories) await measure(directory);

async function measure(directory: string): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), "code-rag-bench-"));
  const database = join(scratch, "index.db");
  try {
    const cold = index(directory, database);
    const sql = openIndex(database);
    const { bytes, files } = sql.all<{ bytes: number; files: number }>(
      "SELECT sum(size) AS bytes, count(*) AS files FROM files WHERE skipped IS NULL",
    )[0] as { bytes: number; files: number };
    const chunks = sql.all<{ n: number }>("SELECT count(*) AS n FROM chunks")[0]?.n ?? 0;
    const warm = index(directory, database);
    const changed = changeOne(
      directory,
      database,
      sql.all<{ path: string }>(
        "SELECT path FROM files WHERE skipped IS NULL AND role = 'source' ORDER BY lines DESC LIMIT 1 OFFSET 10",
      )[0]?.path,
    );
    const times = await queryTimes(searchEngine(sql, builtInEmbedder()), symbolsOf(sql));
    sql.close();
    console.log(
      `${basename(directory)}: ${files} files, ${(bytes / 1e6).toFixed(1)} MB, ${chunks} chunks\n` +
        `  cold ${cold.seconds.toFixed(2)} s (${(bytes / 1e6 / cold.seconds).toFixed(2)} MB/s, peak ${cold.peakMb} MB, index ${(statSync(database).size / 1e6).toFixed(1)} MB)\n` +
        `  warm ${warm.seconds.toFixed(2)} s; one changed file ${changed?.toFixed(2) ?? "–"} s (both with the start of a process)\n` +
        `  query p50 ${percentile(times, 0.5)} ms, p99 ${percentile(times, 0.99)} ms; git grep p50 ${grepTime(directory)} ms`,
    );
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** One run of the command line; the peak is the largest resident set of the process, from the kernel. */
function index(directory: string, database: string): { seconds: number; peakMb: number } {
  const start = performance.now();
  const report = `process.on("exit", () => process.stderr.write("PEAK " + Math.round(process.resourceUsage().maxRSS / 1024) + "\\n"))`;
  const hook = `data:text/javascript,${encodeURIComponent(report)}`;
  const run = spawnSync(process.execPath, ["--import", hook, MAIN, "index", directory, "--db", database], {
    encoding: "utf8",
  });
  if (run.status !== 0) throw new Error(run.stderr);
  return { seconds: (performance.now() - start) / 1000, peakMb: Number(/PEAK (\d+)/.exec(run.stderr)?.[1] ?? 0) };
}

function changeOne(directory: string, database: string, path: string | undefined): number | undefined {
  if (!path) return undefined;
  const file = join(directory, path);
  const before = readFileSync(file);
  try {
    appendFileSync(file, "\n");
    return index(directory, database).seconds;
  } finally {
    writeFileSync(file, before);
  }
}

/** Words that the index has: every query finds something. */
function symbolsOf(sql: SearchEngine["sql"]): string[] {
  const rows = sql.all<{ symbol: string; doc: string }>(
    "SELECT symbol, doc FROM units WHERE length(doc) > 30 OR symbol <> '' ORDER BY hash LIMIT ?",
    QUERIES,
  );
  return rows.map((row, position) => (position % 2 === 0 && row.doc ? row.doc.slice(0, 80) : row.symbol));
}

async function queryTimes(engine: SearchEngine, queries: readonly string[]): Promise<number[]> {
  await search(engine, { query: "warm up" });
  const times: number[] = [];
  for (const query of queries) {
    const start = performance.now();
    await search(engine, { query });
    times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b);
}

function percentile(sorted: readonly number[], share: number): string {
  return (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(1);
}

function grepTime(directory: string): string {
  const times = ["error", "parse", "config", "request", "index"].map((word) => {
    const start = performance.now();
    const run = spawnSync("git", ["grep", "--no-index", "-l", "-i", "-e", word], { cwd: directory, stdio: "ignore" });
    return run.error ? Number.NaN : performance.now() - start;
  });
  return percentile(
    times.sort((a, b) => a - b),
    0.5,
  );
}
