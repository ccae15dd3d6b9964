import { setTimeout as sleep } from "node:timers/promises";
import type { AbortSignalLike } from "../../engine/ports.ts";

const TRIES = 4;
const FIRST_WAIT_MS = 300;

/** Tries again after overload and broken connections, waiting twice as long each time, with jitter. */
export async function withRetries<T>(ask: () => Promise<T>, signal?: AbortSignalLike): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await ask();
    } catch (error) {
      if (attempt >= TRIES || signal?.aborted || !isPassing(error)) throw error;
      await sleep(FIRST_WAIT_MS * 2 ** (attempt - 1) * (0.5 + Math.random()));
    }
  }
}

/** Too many requests, a server's own fault, or no answer at all; not a wrong request. */
function isPassing(error: unknown): boolean {
  const status = (error as { status_code?: number }).status_code;
  return status === undefined || status === 429 || status >= 500;
}
