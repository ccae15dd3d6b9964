/** Load of token refreshes: as fast as so many clients go, and at a steady rate. No grant refreshes twice at once. */
import { setTimeout as pause } from "node:timers/promises";
import { type Grant, refresh } from "../lib/grants.ts";
import type { Http } from "../lib/http.ts";
import { cpuMs } from "../lib/process-figures.ts";

export interface Load {
  http: Http;
  clientId: string;
  grants: readonly Grant[];
  seconds: number;
  /** Of the server. */
  pid: number;
}

export interface Refreshes {
  amount: number;
  perSecond: number;
  latencies: number[];
  /** CPU milliseconds of the server's process, all threads, for each refresh. */
  cpuPerRefresh: number;
}

/** So many at once, each as soon as the one before it is answered. */
export function flatOut(load: Load, clients: number): Promise<Refreshes> {
  return measured(load, async (one) => {
    const end = performance.now() + load.seconds * 1000;
    const client = async (n: number) => {
      const own = load.grants.filter((_, i) => i % clients === n);
      for (let i = 0; performance.now() < end; i++) await one(own[i % own.length]!, performance.now());
    };
    await Promise.all(Array.from({ length: clients }, (_, n) => client(n)));
  });
}

/** So many a second, whether or not earlier ones are answered; times count from when each was due. */
export function steadily(load: Load, perSecond: number): Promise<Refreshes> {
  return measured(load, async (one) => {
    const start = performance.now();
    const last = new Map<Grant, Promise<void>>();
    const all = Array.from({ length: perSecond * load.seconds }, async (_, n) => {
      const due = start + (n * 1000) / perSecond;
      await pause(Math.max(0, due - performance.now()));
      const grant = load.grants[n % load.grants.length]!;
      const turn = (last.get(grant) ?? Promise.resolve()).then(() => one(grant, due));
      last.set(grant, turn);
      await turn;
    });
    await Promise.all(all);
  });
}

async function measured(
  { http, clientId, pid }: Load,
  run: (one: (grant: Grant, due: number) => Promise<void>) => Promise<void>,
): Promise<Refreshes> {
  const latencies: number[] = [];
  const cpu = cpuMs(pid);
  const start = performance.now();
  await run(async (grant, due) => {
    await refresh(http, clientId, grant);
    latencies.push(performance.now() - due);
  });
  const seconds = (performance.now() - start) / 1000;
  const amount = latencies.length;
  return { amount, perSecond: amount / seconds, latencies, cpuPerRefresh: (cpuMs(pid) - cpu) / amount };
}
