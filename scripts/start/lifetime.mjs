/**
 * When the start script has to end: on the usual signals, and when the npm that ran it is gone.
 */

const PARENT_CHECK_MS = 1_000;

/**
 * Resolves at the first request to stop. A second signal ends the process at once.
 *
 * Under npm the parent is watched too: npm killed without a chance to pass the signal on would leave the server
 * running with nobody to end it. (Started by hand, `node scripts/start.mjs`, it may outlive its shell: nohup.)
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
    const parent = process.ppid;
    setInterval(() => {
      if (process.ppid !== parent) done();
    }, PARENT_CHECK_MS).unref();
  });
}
