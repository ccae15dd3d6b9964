/**
 * `npm run bench:stream`: how soon an event is at its listeners, and what a listener costs that hears nothing. The
 * Worker on raw workerd, a person signed in through the stand-in GitHub; 127.0.0.1 only. Fails where a client misses an
 * event or gets one twice, where a store keeps the listeners of clients that have gone, and where an idle one does not
 * sleep. Prints the tables of docs/benchmarks.md and writes dist/bench/stream.json.
 *
 *     npm run bench:stream -- [--quick]
 */
import { loadavg } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { registerClient, signIn } from "./lib/grants.ts";
import { cpuMs, memory } from "./lib/process-figures.ts";
import { fixed, machine, machineLine, markdownTable, percentile, thousands, writeJson } from "./lib/report.ts";
import { root, Scratch } from "./lib/scratch.ts";
import { startSignedInWorker } from "./lib/signed-in-worker.ts";
import { type Kind, openClients } from "./stream/clients.ts";
import { type Measured, measure, sender } from "./stream/load.ts";

const { values: options } = parseArgs({ options: { quick: { type: "boolean" } } });

const SECONDS = options.quick ? 4 : 20;
/** Beyond the 10 seconds after which a store may sleep, and beyond one heartbeat, which pings it. */
const IDLE_SECONDS = 45;
/** How long a store may hold listeners of clients that have gone: a heartbeat finds an event stream's reader gone. */
const RELEASE_MS = 35_000;
const GOAL_MS = 100;
const GOAL_CLIENTS = 100;
const RUNS: { kind: Kind; clients: number; perSecond: number }[] = [
  { kind: "WebSocket", clients: 1, perSecond: 50 },
  { kind: "WebSocket", clients: GOAL_CLIENTS, perSecond: 50 },
  { kind: "SSE", clients: 100, perSecond: 50 },
  // As many frames a second as with 100 clients.
  { kind: "WebSocket", clients: 1_000, perSecond: 5 },
];
const REPOSITORY = "acme/rocket";

using scratch = new Scratch();
const worker = await startSignedInWorker(scratch, {
  name: "stream",
  main: join(root, "bench/stream/worker/index.ts"),
  vars: {
    WEBHOOK_IP_ALLOWLIST: "off",
    WEBHOOK_RATE_PER_MINUTE: "0",
    TENANT_QUOTA_PER_HOUR: "0",
  },
});
const { origin, http, github, pid } = worker;
const load = loadavg()[0] ?? Number.NaN;
const clientId = await registerClient(http);
const send = sender(http, github, REPOSITORY);
/** A grant for each run: one grant makes at most 1,200 requests a minute. */
const token = async (index: number) => (await signIn(http, origin, clientId, index)).access_token;

const store = `store-${github.world.repository(REPOSITORY).owner.id}`;
/** Waits until a store has let go of the listeners of clients whose connections broke. */
const released = async () => {
  const listeners = async () => Number((await http.send({ path: `/bench/listeners?store=${store}` })).body);
  for (const end = performance.now() + RELEASE_MS; (await listeners()) > 0; await pause(50)) {
    if (performance.now() > end) throw new Error(`${await listeners()} listeners outlived their clients`);
  }
};

const runs: (Measured & { kind: Kind })[] = [];
for (const [i, { kind, clients: amount, perSecond }] of RUNS.entries()) {
  const clients = await openClients(origin, await token(i), kind, amount);
  // The first one wakes what sleeps, and is not counted.
  await measure(clients, send, { perSecond: 2, seconds: 1, pid });
  runs.push({ kind, ...(await measure(clients, send, { perSecond, seconds: SECONDS, pid })) });
  for (const client of clients) client.close();
  process.stderr.write(`${amount} ${kind} clients measured\n`);
  await released();
}

// Idle streams: the stores sleep through heartbeats and access checks, and the next event finds every listener.
const constructions = async () =>
  (JSON.parse((await http.send({ path: "/bench/store-constructions" })).body) as Record<string, number>)[store] ?? 0;
const idle = await openClients(origin, await token(RUNS.length), "WebSocket", GOAL_CLIENTS);
await measure(idle, send, { perSecond: 2, seconds: 1, pid });
const awake = await constructions();
const cpu = cpuMs(pid);
await pause(IDLE_SECONDS * 1_000);
const idleCpuMs = cpuMs(pid) - cpu;
if ((await constructions()) !== awake) throw new Error("something woke the store while nothing happened");
const woken = await measure(idle, send, { perSecond: 1, seconds: 1, pid });
const slept = (await constructions()) - awake;
if (slept !== 1) throw new Error(`the store was constructed ${slept} times by the event after its sleep, not once`);
for (const client of idle) client.close();
await released();
process.stderr.write("the idle store slept, and woke for the next event\n");
const { peak } = memory(pid);

await worker.close();

const p = (values: readonly number[], share: number) => fixed(percentile(values, share), 1);
const here = machine();
const table = markdownTable(
  [
    "Clients",
    "events/s",
    "frames",
    "202 → frame, p50 ms",
    "p99 ms",
    "sent → frame, p50 ms",
    "p99 ms",
    "CPU ms an event",
  ],
  runs.map(({ kind, clients, perSecond, fromAccepted, fromSent, cpuPerEvent }) => [
    `${thousands(clients)} ${kind}`,
    String(perSecond),
    thousands(fromSent.length),
    p(fromAccepted, 0.5),
    p(fromAccepted, 0.99),
    p(fromSent, 0.5),
    p(fromSent, 0.99),
    fixed(cpuPerEvent, 2),
  ]),
);
const goal = runs.find(({ kind, clients }) => kind === "WebSocket" && clients === GOAL_CLIENTS)!;
const reached = percentile(goal.fromSent, 0.99);
const idlePerHour = (idleCpuMs / GOAL_CLIENTS) * (3_600 / IDLE_SECONDS);
const goals = markdownTable(
  ["Goal", "Measured", ""],
  [
    [
      `p99 under ${GOAL_MS} ms, ${GOAL_CLIENTS} clients, 50 events/s`,
      `${fixed(reached, 1)} ms from sending the delivery`,
      reached < GOAL_MS ? "met" : "**missed**",
    ],
    [
      "a store with idle sockets sleeps",
      `${GOAL_CLIENTS} streams, ${IDLE_SECONDS} s: not woken once; the next event, ${p(woken.fromSent, 0.99)} ms`,
      "met",
    ],
  ],
);
console.log(
  [
    `${machineLine(here)} Load before ${fixed(load, 2)}, after ${fixed(loadavg()[0] ?? null, 2)}.`,
    table,
    `An idle stream takes ${fixed(idlePerHour, 0)} ms of CPU an hour; workerd's memory was ${thousands(peak / 1e6)} MB at its peak.`,
    goals,
  ].join("\n\n"),
);
writeJson(join(root, "dist/bench/stream.json"), { machine: here, load, runs, idleCpuMs, peak });
