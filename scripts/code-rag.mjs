/**
 * `npm run code-rag -- …` on a fresh clone: installs what is missing (its lines go to stderr, because stdout belongs to
 * the program), then runs code-rag in the directory where npm was called, so that relative paths mean what they say.
 */

import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { ensureInstalled } from "./ensure-install.mjs";

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));

try {
  await ensureInstalled(path(".."));
} catch (error) {
  console.error(`code-rag: ${error instanceof Error ? error.message : error}`);
  process.exit(1);
}

const child = spawn(
  path("../node_modules/.bin/node"),
  ["--disable-warning=ExperimentalWarning", path("../code-rag/src/node/main.ts"), ...process.argv.slice(2)],
  { stdio: "inherit", cwd: process.env.INIT_CWD ?? process.cwd() },
);
for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) {
  process.on(signal, () => child.kill(signal));
}
child.on("exit", (code, signal) => {
  process.exitCode = code ?? (signal === "SIGINT" ? 130 : 1);
});
