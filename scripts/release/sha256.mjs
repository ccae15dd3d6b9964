import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

/** The SHA-256 of a file, in lower-case hexadecimal. @param {string} path */
export function sha256(path) {
  return createHash("sha256").update(readFileSync(path)).digest("hex");
}
