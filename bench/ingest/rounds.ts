/** Rounds of load, server by server in turn (A B C A B C), so that what else the machine does meets all of them. */

import { cpuMs } from "../lib/process-figures.ts";
import type { Scratch } from "../lib/scratch.ts";
import { type Body, Dealer } from "./deliveries.ts";
import type { Server, ServerName, Starter } from "./servers.ts";
import { checkStored } from "./stored.ts";

/** What one server did in one round. */
export interface Round {
  /** Deliveries. */
  amount: number;
  /** Milliseconds that the round took. */
  ms: number;
  /** CPU milliseconds of the server's process, all threads, for each delivery. */
  cpuPerRequest: number;
  /** Milliseconds, where each delivery was timed. */
  latencies?: number[];
}

export type Rounds = Map<ServerName, Round[]>;

export interface Plan {
  name: string;
  servers: readonly Starter[];
  bodies: readonly Body[];
  rounds: number;
  /** Before the first round: code is compiled, files are there. */
  warmUp(url: string, dealer: Dealer): Promise<unknown>;
  /** One round against one server. */
  load(url: string, dealer: Dealer): Promise<Pick<Round, "amount" | "ms" | "latencies">>;
}

/** Starts the servers of a plan, runs its rounds, stops them, and checks what each has stored. */
export async function runRounds(scratch: Scratch, plan: Plan): Promise<Rounds> {
  const running: { server: Server; dealer: Dealer }[] = [];
  for (const [i, start] of plan.servers.entries()) {
    const server = await start(scratch.folder(`data-${i}`));
    const dealer = new Dealer(plan.bodies);
    await plan.warmUp(server.url, dealer);
    running.push({ server, dealer });
  }
  const rounds: Rounds = new Map(running.map(({ server }) => [server.name, []]));
  for (let n = 0; n < plan.rounds; n++) {
    for (const { server, dealer } of running) {
      const before = cpuMs(server.pid);
      const { amount, ms, latencies } = await plan.load(server.url, dealer);
      // An answer can be there before what follows it is done.
      await new Promise((done) => setTimeout(done, 100));
      const round = { amount, ms, cpuPerRequest: (cpuMs(server.pid) - before) / amount, latencies };
      rounds.get(server.name)?.push(round);
    }
  }
  for (const [i, { server, dealer }] of running.entries()) {
    const stored = checkStored(server.name, await server.stop(), dealer.dealt);
    process.stderr.write(`${plan.name}: ${server.name} has all ${stored} deliveries\n`);
    scratch.remove(`data-${i}`);
  }
  return rounds;
}
