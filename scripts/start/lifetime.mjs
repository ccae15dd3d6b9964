/**
 * When the start script has to end: on the usual signals, and when the npm that ran it is gone.
 */
import { readFileSync } from "node:fs";

const PARENT_CHECK_MS = 500;

/**
 * Resolves at the first request to stop. A second signal ends the process at once.
 *
 * Under npm the way up to it is watched too. npm hands a SIGTERM on to the shell in between, which dies of it and tells
 * nobody; and npm may be killed without a chance to hand on anything. (Started by hand, `node scripts/start.mjs` may
 * outlive its shell: nohup.)
 *
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<void>}
 */
export function stopRequested(env) {
  return new Promise((done) => {
    let asked = false;
    for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) {
      process.on(signal, () => {
        if (asked) process.exit(1);
        asked = true;
        done();
      });
    }
    if (!env.npm_lifecycle_event) return;
    const before = ancestors();
    setInterval(() => {
      if (ancestors() !== before) done();
    }, PARENT_CHECK_MS).unref();
  });
}

/** Names the processes between us and npm: our parent and, where it is the shell that npm runs scripts in, its own. */
function ancestors() {
  const parent = process.ppid;
  try {
    // Linux; elsewhere the parent alone has to do.
    const isShell = readFileSync(`/proc/${parent}/cmdline`, "utf8").includes("\0-c\0");
    return isShell ? `${parent} ${parentOf(parent)}` : `${parent}`;
  } catch {
    return `${parent}`;
  }
}

function parentOf(pid) {
  return /^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
}
