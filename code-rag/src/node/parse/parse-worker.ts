/** Thread of the pool: takes a file, gives its units. One file at a time, so a crash has one suspect. */

import { parentPort } from "node:worker_threads";
import { extractUnits } from "../../engine/units/extract.ts";
import type { FileUnits, SourceFile } from "../../engine/units/unit.ts";
import { createNodePort } from "./node-port.ts";

/** `crashed`: the grammar failed on this file, and the thread's wasm memory can no longer be trusted. */
export type WorkerAnswer = { readonly units: FileUnits } | { readonly crashed: string };

const port = createNodePort();

parentPort?.on("message", async (file: SourceFile) => {
  parentPort?.postMessage(await answer(file));
});

async function answer(file: SourceFile): Promise<WorkerAnswer> {
  try {
    return { units: extractUnits(file, await port) };
  } catch (error) {
    return { crashed: error instanceof Error ? error.message : String(error) };
  }
}
