/**
 * The bearer check as an isolate sees it: one request to a Durable Object, remembered for at most five seconds, so that
 * what is revoked stops within that time.
 */
import { BoundedMap } from "../bounded-map.ts";
import type { CheckedToken } from "./grants.ts";
import { hashOf } from "./secrets.ts";

const MAX_AGE_MS = 5_000;
const MAX_TOKENS = 5_000;

export class TokenCache {
  readonly #check: (token: string) => Promise<CheckedToken | null>;
  readonly #known = new BoundedMap<string, { checked: CheckedToken; until: number }>(MAX_TOKENS);

  constructor(check: (token: string) => Promise<CheckedToken | null>) {
    this.#check = check;
  }

  /** Whether a token was valid when it was last asked about, however long ago. It says nothing about now. */
  hasSeen(token: string): boolean {
    return this.#known.get(hashOf(token)) !== undefined;
  }

  /** Whom a token speaks for; null = not valid, which is not remembered. */
  async check(token: string): Promise<CheckedToken | null> {
    const hash = hashOf(token);
    const asked = Date.now();
    const known = this.#known.get(hash);
    if (known && asked < known.until) return known.checked;
    const checked = await this.#check(token);
    if (checked === null) this.#known.delete(hash);
    // Counted from before the question, since the answer may be that old.
    else this.#known.set(hash, { checked, until: Math.min(asked + MAX_AGE_MS, checked.expiresAt) });
    return checked;
  }
}
