/**
 * When the bridge ends: with its client. A stdin that has ended, a signal, a parent that is gone or a stdout that
 * nobody reads means that nobody is there; what is open then (sockets, timers, a call on its way) must not keep the
 * process alive, and no error on the way out may start it all over.
 */
import { isAlive } from "./process-alive.ts";

/** What may be tidied up must be so in this time. */
const GRACE_MS = 1_000;
const PARENT_INTERVAL_MS = 500;

/** Calls `close` once when the client has gone, and ends the process at the latest a second later. */
export function endWithClient(close: () => Promise<void>): void {
  let ending = false;
  const end = () => {
    if (ending) return;
    ending = true;
    setTimeout(() => process.exit(0), GRACE_MS);
    close().then(
      () => process.exit(0),
      () => process.exit(0),
    );
  };
  process.stdin.on("end", end);
  process.stdin.on("close", end);
  process.stdin.on("error", end);
  process.stdout.on("error", end);
  // Without a listener a closed stderr would throw from within the report of an error, for ever.
  process.stderr.on("error", () => {});
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, end);
  whenParentGone(end);
}

/** A host that is killed may leave stdin open: somebody else holds the other end. */
function whenParentGone(gone: () => void): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent && isAlive(parent)) return;
    clearInterval(timer);
    gone();
  }, PARENT_INTERVAL_MS);
  timer.unref();
}
