/** The tables of docs/benchmarks.md. */
import { fixed, markdownTable, median, medianRatio, percentile, thousands } from "../lib/report.ts";
import type { LargeMemory } from "./large.ts";
import type { Round, Rounds } from "./rounds.ts";
import type { ServerName } from "./servers.ts";

export interface Measured {
  bursts: { load: string; tenants: number; connections: number; rounds: Rounds }[];
  steady: Rounds | null;
  large: { rounds: Rounds; memory: LargeMemory } | null;
}

const EACH = "reference, a file each";
const ONE = "reference, one file";

const perSecond = ({ amount, ms }: Round) => (amount * 1000) / ms;
const rates = (rounds: Rounds, server: ServerName) => (rounds.get(server) ?? []).map(perSecond);
const cpu = (rounds: Rounds, server: ServerName) => median((rounds.get(server) ?? []).map((r) => r.cpuPerRequest));
const ratio = (rounds: Rounds, server: ServerName) => medianRatio(rates(rounds, "worker"), rates(rounds, server));
const MB = 1e6;

export function burstTable({ bursts }: Measured): string {
  return markdownTable(
    [
      "Load",
      "Worker /s",
      "reference, a file each /s",
      "reference, one file /s",
      "Worker ÷ a file each",
      "Worker ÷ one file",
      "CPU ms: Worker",
      "a file each",
      "one file",
    ],
    bursts.map(({ load, rounds }) => [
      load,
      ...(["worker", EACH, ONE] as const).map((server) =>
        rounds.has(server) ? thousands(median(rates(rounds, server))) : "–",
      ),
      ...([EACH, ONE] as const).map((server) => (rounds.has(server) ? `**${fixed(ratio(rounds, server), 2)}**` : "–")),
      ...(["worker", EACH, ONE] as const).map((server) => fixed(cpu(rounds, server), 2)),
    ]),
  );
}

/** Median over the rounds of a percentile within each. */
function latency(rounds: Rounds, server: ServerName, share: number): number {
  return median((rounds.get(server) ?? []).map(({ latencies = [] }) => percentile(latencies, share)));
}

export function steadyTable({ steady }: Measured): string {
  if (steady === null) return "";
  return markdownTable(
    ["200 requests/s, 20 tenants", "p50 ms", "p99 ms", "highest ms", "CPU ms"],
    [...steady.keys()].map((server) => [
      server,
      ...[0.5, 0.99, 1].map((share) => fixed(latency(steady, server, share), 1)),
      fixed(cpu(steady, server), 2),
    ]),
  );
}

export function largeTable({ large }: Measured): string {
  if (large === null) return "";
  return markdownTable(
    ["24.9 MB bodies", "ms", "CPU ms", "isolate, peak MB", "process, growth MB"],
    [...large.rounds].map(([server, rounds]) => [
      server,
      fixed(median(rounds.map(({ ms }) => ms)), 0),
      fixed(median(rounds.map(({ cpuPerRequest }) => cpuPerRequest)), 0),
      ...(server === "worker"
        ? [median(large.memory.heap), large.memory.resident].map((bytes) => fixed(bytes / MB, 0))
        : ["–", "–"]),
    ]),
  );
}

export function goalTable({ bursts, steady, large }: Measured): string {
  const goals: [goal: string, measured: string, met: boolean][] = [];
  const find = (tenants: number) => bursts.find((burst) => burst.tenants === tenants && burst.connections > 1)?.rounds;
  const many = find(20);
  const one = find(1);
  if (many) {
    const reached = ratio(many, EACH);
    goals.push(["20 tenants: at least 0.9 of the reference, a file each", fixed(reached, 2), reached >= 0.9]);
  }
  if (one) {
    const reached = ratio(one, ONE);
    goals.push(["one tenant in a burst: at least 1.2 of the reference, one file", fixed(reached, 2), reached >= 1.2]);
  }
  if (steady) {
    const p99 = latency(steady, "worker", 0.99);
    goals.push(["p99 under 50 ms at 200 requests/s", `${fixed(p99, 1)} ms`, p99 < 50]);
  }
  if (many) {
    const used = cpu(many, "worker");
    goals.push(["CPU under 0.75 ms a request (20 tenants)", `${fixed(used, 2)} ms`, used < 0.75]);
  }
  if (large) {
    const ms = median((large.rounds.get("worker") ?? []).map((round) => round.ms));
    const heap = median(large.memory.heap) / MB;
    goals.push(["24.9 MB: under 1 s", `${fixed(ms, 0)} ms`, ms < 1000]);
    goals.push(["24.9 MB: under 100 MB of isolate heap", `${fixed(heap, 0)} MB`, heap < 100]);
  }
  return markdownTable(
    ["Goal", "Measured", ""],
    goals.map(([goal, measured, met]) => [goal, measured, met ? "met" : "**missed**"]),
  );
}
