/**
 * `npm run bench:read`: what an agent's first questions cost, by how much a store holds. Fills a real WebhookStore on
 * raw workerd with up to a million events, and asks for status and for the newest 20 pending events, by time and by
 * rows read. Prints the table of docs/benchmarks.md and writes dist/bench/read.json.
 *
 *     npm run bench:read -- [--quick]
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { bundle } from "./lib/bundle.ts";
import { fixed, machine, machineLine, markdownTable, median, thousands, writeJson } from "./lib/report.ts";
import { root, Scratch } from "./lib/scratch.ts";
import { readWorkerConfig, type WorkerConfig } from "./lib/worker-config.ts";
import { startWorkerd, type Workerd } from "./lib/workerd.ts";
import type { Cost, Step } from "./read/steps.ts";

const { values: options } = parseArgs({ options: { quick: { type: "boolean" } } });

const EVENTS = options.quick ? [1_000, 20_000] : [1_000, 100_000, 1_000_000];
const REPOSITORIES = [1, 50, 5_000];
const PROCESSED = [
  { processed: "nothing", share: 0 },
  { processed: "99 %", share: 0.99 },
  { processed: "all", share: 1 },
];
/** Reads between two looks at the clock, and how often that is done. */
const TIMES = 50;
const ROUNDS = 5;
/** As long as the summary of an issue_comment. */
const SUMMARY = JSON.stringify({ title: "t".repeat(480) });

interface Reading {
  /** Of an object that was just started, and remembers nothing. */
  first: { rowsRead: number; ms: number };
  again: { rowsRead: number; ms: number };
}

interface Measured {
  events: number;
  repositories: number;
  processed: string;
  pending: number;
  status: Reading;
  list: Reading;
}

using scratch = new Scratch();
const config: WorkerConfig = {
  ...readWorkerConfig(),
  main: join(root, "bench/read/worker/index.ts"),
  durableObjects: [
    { binding: "STORE", className: "BenchStore" },
    { binding: "TENANT_REGISTRY", className: "TenantRegistry" },
  ],
};
const modules = bundle(scratch, "read-bundle", config);
const measured: Measured[] = [];

for (const repositories of REPOSITORIES) {
  for (const events of EVENTS) {
    const vars = { ...config.vars, PUBLIC_URL: "https://bench.example.com" };
    const workerd = await startWorkerd(scratch, { name: "read", modules, config, vars, data: scratch.folder("data") });
    const store = storeAt(workerd, repositories);
    await store({ do: "fill", events, repositories, summary: SUMMARY });
    for (const { processed, share } of PROCESSED) {
      if (share > 0) await store({ do: "mark", seq: Math.floor(events * share) });
      const status = await reading(store, "status");
      const list = await reading(store, "list");
      const pending = status.events;
      if (pending !== events - Math.floor(events * share) || list.events !== Math.min(20, pending)) {
        throw new Error(`${pending} pending and ${list.events} listed of ${events} events, ${processed} processed`);
      }
      measured.push({ events, repositories, processed, pending, status, list });
      process.stderr.write(`${thousands(events)} events, ${thousands(repositories)} repositories, ${processed}\n`);
    }
    await workerd.stop();
    scratch.remove("data");
  }
}

type Store = (step: Step) => Promise<{ cost: Cost | null; ms: number }>;

/** Sends steps to the one store of a workerd. */
function storeAt({ url }: Workerd, repositories: number): Store {
  return async (step) => {
    const start = performance.now();
    const response = await fetch(url, {
      method: "POST",
      body: JSON.stringify({ store: "store", repositories, step }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${step.do}: ${text}`);
    return { cost: JSON.parse(text), ms: performance.now() - start };
  };
}

/** The clock of a Durable Object stands still while it computes: time is taken out here, less that of no read at all. */
async function reading(store: Store, what: "status" | "list"): Promise<Reading & { events: number }> {
  const firsts: number[] = [];
  const agains: number[] = [];
  let first: Cost | null = null;
  let again: Cost | null = null;
  for (let round = 0; round < ROUNDS; round++) {
    await store({ do: "evict" });
    // Starts the object, whose own start is not what is asked about.
    const nothing = await store({ do: what, times: 0 });
    const one = await store({ do: what, times: 1 });
    const idle = await store({ do: what, times: 0 });
    const many = await store({ do: what, times: TIMES });
    first = one.cost;
    again = many.cost;
    firsts.push(Math.max(0, one.ms - Math.min(idle.ms, nothing.ms)));
    agains.push(Math.max(0, many.ms - idle.ms) / TIMES);
  }
  if (first === null || again === null) throw new Error("a read without a cost");
  return {
    events: again.events,
    first: { rowsRead: first.rowsRead, ms: median(firsts) },
    again: { rowsRead: again.rowsRead, ms: median(agains) },
  };
}

/** One cell: the same read at each number of events. */
function cell(repositories: number, processed: string, figure: (row: Measured) => string): string {
  const rows = measured.filter((row) => row.repositories === repositories && row.processed === processed);
  return rows.map(figure).join(" · ");
}

const here = machine();
const table = markdownTable(
  ["Repositories", "Processed", "status: rows", "ms", "again: ms", "list: rows", "ms", "again: rows", "again: ms"],
  REPOSITORIES.flatMap((repositories) =>
    PROCESSED.map(({ processed }) => {
      const column = (figure: (row: Measured) => string) => cell(repositories, processed, figure);
      return [
        thousands(repositories),
        processed,
        column(({ status }) => thousands(status.first.rowsRead)),
        column(({ status }) => fixed(status.first.ms, 1)),
        column(({ status }) => fixed(status.again.ms, 2)),
        column(({ list }) => thousands(list.first.rowsRead)),
        column(({ list }) => fixed(list.first.ms, 1)),
        column(({ list }) => thousands(list.again.rowsRead)),
        column(({ list }) => fixed(list.again.ms, 2)),
      ];
    }),
  ),
);
console.log(`${machineLine(here)}\n\nEach cell: ${EVENTS.map(thousands).join(" · ")} events.\n\n${table}`);
writeJson(join(root, "dist/bench/read.json"), { machine: here, measured });
