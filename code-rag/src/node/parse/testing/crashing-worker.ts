/** The pool's thread, with files by whose names it fails in the ways that a grammar can. */

import { parentPort } from "node:worker_threads";
import { fileExaminer } from "../../../engine/prepare/examine.ts";
import { extractUnits } from "../../../engine/units/extract.ts";
import { readSource } from "../../files/read-source.ts";
import { sha256 } from "../../host/digest.ts";
import type { FileJob } from "../file-worker.ts";
import { createNodePort } from "../node-port.ts";

const port = createNodePort();

parentPort?.on("message", async ({ root, file, knownHash }: FileJob) => {
  if (file.path === "dies.js") process.exit(1);
  if (file.path === "hangs.js") for (;;);
  if (file.path === "throws.js") {
    parentPort?.postMessage({ crashed: "memory access out of bounds" });
    return;
  }
  const parse = await port;
  const examine = fileExaminer({
    read: async (listed) => readSource(root, listed),
    extract: async (source) => extractUnits(source, parse),
    digest: sha256,
  });
  parentPort?.postMessage({ examined: await examine(file, knownHash) });
});
