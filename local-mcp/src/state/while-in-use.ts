/**
 * Windows refuses to open, replace or make a file which somebody else has open at that moment, or which is being deleted
 * (ERROR_SHARING_VIOLATION, ERROR_ACCESS_DENIED): another bridge that reads it, or a virus scanner. That passes; it says
 * nothing about the disk.
 */
const PASSING = new Set(["EPERM", "EACCES", "EBUSY"]);
const RETRY_MS = 20;
/** A folder that really is not to be written to is noticed after that. */
const PATIENCE_MS = 1_000;

/** Does it, on Windows again for a second while the file is in use. Rejects with the last error. */
export async function whileInUse<T>(
  step: () => Promise<T>,
  platform: NodeJS.Platform = process.platform,
  patienceMs: number = PATIENCE_MS,
): Promise<T> {
  const began = performance.now();
  for (;;) {
    try {
      return await step();
    } catch (error) {
      const passing = platform === "win32" && PASSING.has((error as NodeJS.ErrnoException).code ?? "");
      if (!passing || performance.now() - began > patienceMs) throw error;
    }
    await new Promise((done) => setTimeout(done, RETRY_MS));
  }
}
