/** How fast the disk is at what limits a durable server: putting a small write where a power cut can't reach it. */
import { closeSync, fdatasyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { median } from "./report.ts";

/** About what one commit of a delivery appends to a write-ahead log. */
const COMMIT_BYTES = 16_384;
const TIMES = 200;

/** Median milliseconds of one write and fdatasync in `folder`. */
export function syncMs(folder: string): number {
  const file = openSync(join(folder, "sync-probe"), "w");
  const bytes = Buffer.alloc(COMMIT_BYTES, 1);
  const times = Array.from({ length: TIMES }, () => {
    const start = performance.now();
    writeSync(file, bytes);
    fdatasyncSync(file);
    return performance.now() - start;
  });
  closeSync(file);
  return median(times);
}
