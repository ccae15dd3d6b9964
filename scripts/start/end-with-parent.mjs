/**
 * Preloaded into wrangler's processes: ends them when the process that started them is gone, even if it was killed
 * without a chance to say so. The IPC channel to it closes then, whatever the way it went.
 */
const GRACE_MS = 3_000;

if (process.channel) {
  process.on("disconnect", () => {
    setTimeout(() => process.exit(1), GRACE_MS).unref();
    process.kill(process.pid, "SIGTERM");
  });
  process.channel.unref();
}
