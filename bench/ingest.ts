/**
 * `npm run bench:ingest`: how fast signed webhooks get onto disk, the Worker beside a reference server. Prints the
 * tables of docs/benchmarks.md and writes dist/bench/ingest.json. Sends to 127.0.0.1 only.
 *
 *     npm run bench:ingest -- [--quick] [--rounds N] [--only burst|steady|large]
 */
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type Body, commentBodies, type Dealer, largeBody } from "./ingest/deliveries.ts";
import { largeMemory } from "./ingest/large.ts";
import { burst, send, steady } from "./ingest/load.ts";
import { runRounds } from "./ingest/rounds.ts";
import { SECRET, starters } from "./ingest/servers.ts";
import { burstTable, goalTable, largeTable, type Measured, steadyTable } from "./ingest/tables.ts";
import { bundle } from "./lib/bundle.ts";
import { syncMs } from "./lib/disk.ts";
import { fixed, machine, machineLine, writeJson } from "./lib/report.ts";
import { root, Scratch } from "./lib/scratch.ts";
import { readWorkerConfig } from "./lib/worker-config.ts";

const { values: options } = parseArgs({
  options: {
    quick: { type: "boolean" },
    rounds: { type: "string" },
    entry: { type: "string" },
    only: { type: "string" },
  },
});
const quick = options.quick ?? false;
const rounds = Number(options.rounds ?? (quick ? 3 : 9));
const wants = (part: string) => options.only === undefined || options.only === part;

using scratch = new Scratch();
const config = { ...readWorkerConfig(), ...(options.entry ? { main: resolve(options.entry) } : {}) };
const servers = starters(scratch, { modules: bundle(scratch, "worker-bundle", config), config });
const each = servers["reference, a file each"];
const one = servers["reference, one file"];

const BURSTS = [
  { load: "20 tenants, 32 connections", tenants: 20, connections: 32, servers: [servers.worker, each, one] },
  { load: "20 tenants, 1 connection", tenants: 20, connections: 1, servers: [servers.worker, each, one] },
  // Of one tenant the reference has one file either way.
  { load: "1 tenant, 32 connections", tenants: 1, connections: 32, servers: [servers.worker, one] },
  { load: "1 tenant, 1 connection", tenants: 1, connections: 1, servers: [servers.worker, one] },
];

const disk = syncMs(scratch.dir);
const measured: Measured = { bursts: [], steady: null, large: null };

if (wants("burst")) {
  for (const { load, tenants, connections, servers } of BURSTS) {
    const amount = (connections === 1 ? 300 : 2_000) / (quick ? 4 : 1);
    const plan = {
      name: load,
      servers,
      bodies: commentBodies(tenants, SECRET),
      rounds,
      warmUp: (url: string, dealer: Dealer) => burst(url, dealer, quick ? 200 : 1_000, 32),
      load: async (url: string, dealer: Dealer) => ({ amount, ms: await burst(url, dealer, amount, connections) }),
    };
    measured.bursts.push({ load, tenants, connections, rounds: await runRounds(scratch, plan) });
  }
}

if (wants("steady")) {
  const seconds = quick ? 2 : 10;
  measured.steady = await runRounds(scratch, {
    name: "200 requests/s",
    servers: [servers.worker, each, one],
    bodies: commentBodies(20, SECRET),
    rounds: Math.min(rounds, 5),
    warmUp: (url, dealer) => burst(url, dealer, 500, 32),
    load: async (url, dealer) => {
      const latencies = await steady(url, dealer, 200, seconds);
      return { amount: latencies.length, ms: seconds * 1000, latencies };
    },
  });
}

if (wants("large")) {
  const body = largeBody(SECRET);
  const [small] = commentBodies(1, SECRET) as [Body];
  const large = await runRounds(scratch, {
    name: "24.9 MB",
    servers: [servers.worker, one],
    bodies: [body],
    rounds,
    warmUp: (url, dealer) => send(url, dealer.next()),
    load: async (url, dealer) => {
      const start = performance.now();
      await send(url, dealer.next());
      return { amount: 1, ms: performance.now() - start };
    },
  });
  measured.large = {
    rounds: large,
    memory: await largeMemory(scratch, servers.worker, { small, large: body }, rounds),
  };
}

const here = machine();
const parts = [
  measured.bursts.length > 0 ? burstTable(measured) : "",
  steadyTable(measured),
  largeTable(measured),
  goalTable(measured),
];
console.log(
  [
    `${machineLine(here)} A write of 16 KB and its fdatasync take ${fixed(disk, 2)} ms.`,
    `Medians of ${rounds} interleaved rounds.`,
    ...parts.filter((part) => part !== ""),
  ].join("\n\n"),
);
writeJson(join(root, "dist/bench/ingest.json"), {
  machine: here,
  diskMs: disk,
  rounds,
  bursts: measured.bursts.map((burst) => ({ ...burst, rounds: Object.fromEntries(burst.rounds) })),
  steady: measured.steady && Object.fromEntries(measured.steady),
  large: measured.large && { ...measured.large, rounds: Object.fromEntries(measured.large.rounds) },
});
