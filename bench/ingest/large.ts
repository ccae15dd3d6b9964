/** Bodies of 24.9 MB, one after the other: time, and the memory that one takes. */
import { Inspector, peakHeap } from "../lib/inspector.ts";
import { memory } from "../lib/process-figures.ts";
import type { Scratch } from "../lib/scratch.ts";
import { type Body, Dealer } from "./deliveries.ts";
import { burst, send } from "./load.ts";
import type { Starter } from "./servers.ts";
import { checkStored } from "./stored.ts";

export interface LargeMemory {
  /** Heap and array buffers of the isolate at their highest, garbage included, bytes, each round. */
  heap: number[];
  /** What the whole process held at its highest beyond what it held after small deliveries, bytes. */
  resident: number;
}

/** Measures the memory of the Worker, apart from time: the inspector slows it down. */
export async function largeMemory(
  scratch: Scratch,
  start: Starter,
  { small, large }: { small: Body; large: Body },
  rounds: number,
): Promise<LargeMemory> {
  const server = await start(scratch.folder("data-large"), true);
  const warmUp = new Dealer([small]);
  await burst(server.url, warmUp, 200, 4);
  const inspector = await Inspector.connect(server.inspector as string);
  const dealer = new Dealer([large]);
  const { now } = memory(server.pid);
  const heap: number[] = [];
  for (let n = 0; n < rounds; n++) {
    heap.push(await peakHeap(inspector, () => send(server.url, dealer.next())));
  }
  inspector.close();
  const resident = memory(server.pid).peak - now;
  const dealt = new Map([...warmUp.dealt, ...dealer.dealt]);
  checkStored(server.name, await server.stop(), dealt);
  scratch.remove("data-large");
  return { heap, resident };
}
