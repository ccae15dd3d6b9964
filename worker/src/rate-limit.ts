/**
 * Requests a minute for each client address, in memory: a brake on floods, for each isolate on its own (N1.6).
 */

import { BoundedMap } from "./bounded-map.ts";
import type { IpAddress } from "./ip-range.ts";

const WINDOW_SECONDS = 60;

/** Addresses that are remembered at once: 10,000 of them take about 5 MB. The one charged longest ago is forgotten. */
const MAX_KEYS = 10_000;

/** Charges of the last minute, in a ring of one-second slots. */
interface Window {
  slots: Uint32Array;
  total: number;
  /** The second that was last looked at; the slots behind it by a minute are empty. */
  second: number;
}

/** A sliding window over the last 60 seconds for each key, exact to the second. */
export class RateLimiter {
  readonly #windows: BoundedMap<string, Window>;

  constructor(maxKeys = MAX_KEYS) {
    this.#windows = new BoundedMap(maxKeys);
  }

  /** Whether the key has used up its `limit` (0 = off) within the last minute. */
  exceeded(key: string, limit: number, now: number): boolean {
    if (limit === 0) return false;
    const window = this.#windows.get(key);
    if (window === undefined) return false;
    slide(window, now);
    return window.total >= limit;
  }

  /** Counts one request against the key. */
  charge(key: string, now: number): void {
    const window = this.#windows.get(key) ?? { slots: new Uint32Array(WINDOW_SECONDS), total: 0, second: 0 };
    slide(window, now);
    window.slots[window.second % WINDOW_SECONDS]!++;
    window.total++;
    this.#windows.set(key, window);
  }

  /** How many keys are remembered. */
  get size(): number {
    return this.#windows.size;
  }
}

/** Moves a window to `now`, dropping what is older than a minute. A clock that steps back moves nothing. */
function slide(window: Window, now: number): void {
  const second = Math.floor(now / 1000);
  const passed = Math.min(second - window.second, WINDOW_SECONDS);
  for (let step = 1; step <= passed; step++) {
    const slot = (window.second + step) % WINDOW_SECONDS;
    window.total -= window.slots[slot]!;
    window.slots[slot] = 0;
  }
  if (second > window.second) window.second = second;
}

/**
 * What an address is counted as: an IPv4 address itself, an IPv6 address by its /64, which is what one subscriber has
 * (RFC 6177). Requests without an address share one count.
 */
export function rateKey(address: IpAddress | null): string {
  if (address === null) return "unknown";
  if (address.kind() === "ipv4") return address.toString();
  return address.toByteArray().slice(0, 8).join(".");
}
