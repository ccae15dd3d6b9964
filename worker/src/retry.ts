/**
 * Calls to Durable Objects across a reset. A deploy, a move to another machine or a lost connection ends whatever an
 * object was doing; the next call finds a fresh instance.
 *
 * https://developers.cloudflare.com/durable-objects/best-practices/error-handling/
 */

/** What the runtime says about an error of a Durable Object call. */
interface DurableObjectError extends Error {
  retryable?: boolean;
  overloaded?: boolean;
  durableObjectReset?: boolean;
  /** Thrown by the object's own code, or passed through it. */
  remote?: boolean;
}

/** Whether a call failed because the object was reset or out of reach, not because of what was asked. */
export function isReset(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { retryable, overloaded, durableObjectReset, remote, message } = error as DurableObjectError;
  // More calls would make an overload worse.
  if (overloaded) return false;
  if (retryable || durableObjectReset) return true;
  // An object that is stopped from outside ends its calls with an error that has no flag, only a text.
  return !remote && /durable ?object/i.test(message);
}

/**
 * Runs `call`, and once more when the object was reset meanwhile. For calls that may run twice without harm: the first
 * one may have been carried out before its answer was lost. `call` takes its stub anew, since one that has failed is
 * broken for good.
 */
export async function retryOnReset<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!isReset(error)) throw error;
    return await call();
  }
}
