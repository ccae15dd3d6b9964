/**
 * Speed and memory: cold index, warm start, one changed file, first answer, queries; beside ripgrep and `git grep`.
 *
 *   npm run bench:index -- DIRECTORY …
 *   npm run bench:index -- --packages DIR [--sizes 300,1000,3000,10000,50000]
 *
 * With `--packages`, trees of those numbers of files are composed of the packages that `npm run train:code-rag -- --cache
 * DIR` trains on, which are brought into DIR where they are not there yet. Prints one table.
 */

import { spawnSync } from "node:child_process";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg, tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { type SearchEngine, search } from "../src/engine/search/search.ts";
import { builtInEmbedder } from "../src/node/host/built-in-embedder.ts";
import { openIndex, searchEngine } from "../src/node/host/open-index.ts";
import { fetchPackages, packageList } from "../train/sources/fetch-packages.ts";
import { composeTree } from "./lib/compose-tree.ts";

const MAIN = new URL("../src/node/main.ts", import.meta.url).pathname;
const NODE = [process.execPath, "--disable-warning=ExperimentalWarning"] as const;
const QUERIES = 200;
const SETTLED_MS = 2_500;

/** Seconds and milliseconds as measured; see `COLUMNS`. */
interface Measured {
  readonly name: string;
  readonly files: number;
  readonly bytes: number;
  readonly units: number;
  readonly coldSeconds: number;
  readonly peakMb: number;
  readonly indexMb: number;
  readonly firstAnswerMs: number;
  readonly warmSeconds: number;
  readonly changeMs: number;
  /** Sorted. */
  readonly queryMs: readonly number[];
  readonly rgMs: number;
  readonly gitGrepMs: number;
}

const COLUMNS: readonly (readonly [string, (row: Measured) => string])[] = [
  ["tree", (row) => row.name],
  ["files", (row) => row.files.toLocaleString("en")],
  ["MB", (row) => (row.bytes / 1e6).toFixed(1)],
  ["units", (row) => row.units.toLocaleString("en")],
  ["cold s", (row) => row.coldSeconds.toFixed(1)],
  ["MB/s", (row) => (row.bytes / 1e6 / row.coldSeconds).toFixed(1)],
  ["peak MB", (row) => String(row.peakMb)],
  ["index MB", (row) => row.indexMb.toFixed(0)],
  ["first answer ms", (row) => row.firstAnswerMs.toFixed(0)],
  ["warm start s", (row) => row.warmSeconds.toFixed(2)],
  ["one change ms", (row) => row.changeMs.toFixed(0)],
  ["query p50 ms", (row) => percentile(row.queryMs, 0.5)],
  ["p99 ms", (row) => percentile(row.queryMs, 0.99)],
  ["`rg` p50 ms", (row) => row.rgMs.toFixed(1)],
  ["`git grep` p50 ms", (row) => row.gitGrepMs.toFixed(1)],
];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { packages: { type: "string" }, sizes: { type: "string", default: "300,1000,3000,10000,50000" } },
});
if (positionals.length === 0 && values.packages === undefined) {
  console.error("Usage: npm run bench:index -- [DIRECTORY …] [--packages DIR [--sizes 300,1000,…]]");
  process.exit(1);
}
const from = process.env.INIT_CWD ?? ".";
const rows: Measured[] = [];
for (const directory of positionals) rows.push(await measure(resolve(from, directory)));
if (values.packages !== undefined) await measureComposed(resolve(from, values.packages), values.sizes);
console.log(
  `${availableParallelism()} cores of ${cpus()[0]?.model}, Node ${process.versions.node}, load ${loadavg()[0]?.toFixed(1)}`,
);
console.log(`| ${COLUMNS.map(([title]) => title).join(" | ")} |`);
console.log(`|${COLUMNS.map((_, at) => (at === 0 ? " --- |" : " --: |")).join("")}`);
for (const row of rows) console.log(`| ${COLUMNS.map(([, cell]) => cell(row)).join(" | ")} |`);

async function measureComposed(cache: string, sizes: string): Promise<void> {
  const packages = (await fetchPackages(packageList().train, cache)).map(({ fetched }) => fetched.directory);
  for (const size of sizes.split(",").map(Number)) {
    const scratch = mkdtempSync(join(tmpdir(), "code-rag-tree-"));
    try {
      const tree = join(scratch, `${size} files`);
      const copied = composeTree(packages, size, tree);
      if (copied < size) console.error(`The packages have ${copied} files, not ${size}.`);
      // A file that was written just now is read again by the next run, since its time may not tell a second change.
      await sleep(SETTLED_MS);
      rows.push(await measure(tree));
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
  }
}

async function measure(directory: string): Promise<Measured> {
  console.error(`${basename(directory)} …`);
  const scratch = mkdtempSync(join(tmpdir(), "code-rag-bench-"));
  const database = join(scratch, "index.db");
  try {
    const firstAnswerMs = await firstAnswer(directory, join(scratch, "first.db"));
    const cold = index(directory, database);
    const sql = openIndex(database);
    const count = (what: string) => sql.all<{ n: number }>(`SELECT ${what} AS n`)[0]?.n ?? 0;
    const changed = sql.all<{ path: string }>(
      "SELECT path FROM files WHERE skipped IS NULL AND role = 'source' ORDER BY abs(lines - 300), path LIMIT 1",
    )[0]?.path;
    const row: Measured = {
      name: basename(directory),
      files: count("(SELECT count(*) FROM files WHERE skipped IS NULL)"),
      bytes: count("(SELECT sum(size) FROM files WHERE skipped IS NULL)"),
      units: count("(SELECT count(*) FROM units)"),
      coldSeconds: cold.seconds,
      peakMb: cold.peakMb,
      indexMb: statSync(database).size / 1e6,
      firstAnswerMs,
      warmSeconds: index(directory, database).seconds,
      changeMs: changed === undefined ? Number.NaN : await oneChange(directory, database, changed),
      queryMs: await queryTimes(searchEngine(sql, builtInEmbedder()), questionsOf(sql)),
      rgMs: grepTime(directory, ["rg", "--files-with-matches", "--ignore-case", "-e"]),
      gitGrepMs: grepTime(directory, ["git", "grep", "--no-index", "--files-with-matches", "--ignore-case", "-e"]),
    };
    sql.close();
    return row;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** One run of the command line; the peak is the largest resident set of the process, from the kernel. */
function index(directory: string, database: string): { seconds: number; peakMb: number } {
  const start = performance.now();
  const report = `process.on("exit", () => process.stderr.write("PEAK " + Math.round(process.resourceUsage().maxRSS / 1024) + "\\n"))`;
  const hook = `data:text/javascript,${encodeURIComponent(report)}`;
  const [node, ...flags] = NODE;
  const run = spawnSync(node, [...flags, "--import", hook, MAIN, "index", directory, "--db", database], {
    encoding: "utf8",
  });
  if (run.status !== 0) throw new Error(run.stderr);
  return { seconds: (performance.now() - start) / 1000, peakMb: Number(/PEAK (\d+)/.exec(run.stderr)?.[1] ?? 0) };
}

async function connect(directory: string, database: string): Promise<Client> {
  const client = new Client({ name: "bench", version: "1.0.0" });
  const [command, ...flags] = NODE;
  const args = [...flags, MAIN, "serve", directory, "--db", database];
  await client.connect(new StdioClientTransport({ command, args, stderr: "ignore" }));
  return client;
}

/** From the start of a server's process on a tree without an index to its answer to a search. */
async function firstAnswer(directory: string, database: string): Promise<number> {
  const start = performance.now();
  const client = await connect(directory, database);
  await client.callTool({ name: "search", arguments: { query: "error" } });
  const elapsed = performance.now() - start;
  await client.close();
  return elapsed;
}

/** A server that runs follows a file to which a function is added. Its threads have seen one change before. */
async function oneChange(directory: string, database: string, path: string): Promise<number> {
  const file = join(directory, path);
  const before = readFileSync(file);
  const client = await connect(directory, database);
  const refresh = () => client.callTool({ name: "refresh_index" }, { timeout: 600_000 });
  try {
    await refresh();
    let elapsed = 0;
    for (let change = 0; change < 3; change++) {
      appendFileSync(file, `\n\n// change ${change}\nfunction changed${change}() { return ${change}; }\n`);
      const start = performance.now();
      await refresh();
      elapsed = performance.now() - start;
    }
    return elapsed;
  } finally {
    writeFileSync(file, before);
    await client.close();
  }
}

/** First lines of documentation, and names, by turns: every one finds something. */
function questionsOf(sql: SearchEngine["sql"]): string[] {
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

/** Median over a few words; NaN where the program is not installed. */
function grepTime(directory: string, [program, ...args]: readonly [string, ...string[]]): number {
  const times = ["error", "parse", "config", "request", "index"].map((word) => {
    const start = performance.now();
    const run = spawnSync(program, [...args, word, "."], { cwd: directory, stdio: "ignore" });
    return run.error ? Number.NaN : performance.now() - start;
  });
  return times.sort((a, b) => a - b)[2] ?? Number.NaN;
}
