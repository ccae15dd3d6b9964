/**
 * `npm run code-rag -- …` on a fresh clone: installs what is missing (its lines go to stderr, because stdout belongs to
 * the program), then runs code-rag in the directory where npm was called, so that relative paths mean what they say.
 */

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));

if (existsSync(path("./ensure-install.mjs"))) {
  const { ensureInstalled } = await import("./ensure-install.mjs");
  try {
    await ensureInstalled(path(".."));
  } catch (error) {
    console.error(`code-rag: ${error.message}`);
    process.exit(1);
  }
}

const pinnedNode = path("../node_modules/.bin/node");
const child = spawn(
  existsSync(pinnedNode) ? pinnedNode : process.execPath,
  ["--disable-warning=ExperimentalWarning", path("../code-rag/src/node/main.ts"), ...process.argv.slice(2)],
  { stdio: "inherit", cwd: process.env.INIT_CWD ?? process.cwd() },
);
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("exit", (code, signal) => {
  process.exitCode = code ?? (signal === "SIGINT" ? 130 : 1);
});
