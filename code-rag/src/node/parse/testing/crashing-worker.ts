/** The pool's thread, with files by whose names it fails in the ways that a grammar can. */

import { parentPort } from "node:worker_threads";
import { extractUnits } from "../../../engine/units/extract.ts";
import type { SourceFile } from "../../../engine/units/unit.ts";
import { createNodePort } from "../node-port.ts";

const port = createNodePort();

parentPort?.on("message", async (file: SourceFile) => {
  if (file.path === "dies.js") process.exit(1);
  if (file.path === "hangs.js") for (;;);
  if (file.path === "throws.js") parentPort?.postMessage({ crashed: "memory access out of bounds" });
  else parentPort?.postMessage({ units: extractUnits(file, await port) });
});
