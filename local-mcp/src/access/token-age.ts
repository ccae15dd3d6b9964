/** How long a token is good for, by this machine's clock alone: what it shows does not matter, only what has passed. */
import type { BridgeState } from "../ports.ts";

type Tokens = NonNullable<BridgeState["tokens"]>;

/** Tokens are refreshed this long before they expire. */
const MARGIN_MS = 5 * 60_000;
/** A clock that stands so far before the receipt was set back; how old the token is can't be known. */
const SET_BACK_MS = 60_000;

/** `fresh`: to be used. `due`: good still, to be refreshed. `expired`: of no use. */
export type TokenAge = "fresh" | "due" | "expired";

/** @param now milliseconds since the epoch */
export function ageOf({ receivedAt, expiresInSeconds }: Tokens, now: number): TokenAge {
  const age = now - receivedAt;
  // The Worker's 401 tells when it is over.
  if (age < -SET_BACK_MS) return "fresh";
  const lifetime = expiresInSeconds * 1_000;
  const left = lifetime - Math.max(0, age);
  if (left <= 0) return "expired";
  return left > Math.min(MARGIN_MS, lifetime / 2) ? "fresh" : "due";
}
