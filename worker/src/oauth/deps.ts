/** What the sign-in endpoints are made of. */
import { type Config, localMode } from "../config.ts";
import type { OAuthPort } from "../grants/oauth-port.ts";
import { parseAddress } from "../ip-range.ts";
import { type RateLimiter, rateKey } from "../rate-limit.ts";

export interface OAuthDeps {
  config: Config;
  oauth: OAuthPort;
  /** Shared by all endpoints: a brake for each isolate. */
  limiter: RateLimiter;
}

/**
 * Requests a minute for each address. Hosted clients call for many people from few addresses, so these stop floods and
 * nothing less; a refresh token has a limit of its own.
 */
export const RATES = { register: 100, page: 300, token: 3_000, revoke: 600, refresh: 120 } as const;

/** Charges a request; true when it is one too many. `key` = the address, unless given. */
export function isLimited(
  { limiter }: OAuthDeps,
  kind: keyof typeof RATES,
  request: Request,
  key = addressOf(request),
): boolean {
  const now = Date.now();
  if (limiter.exceeded(`${kind}:${key}`, RATES[kind], now)) return true;
  limiter.charge(`${kind}:${key}`, now);
  return false;
}

/** The address of a client, an IPv6 one by its /64. */
export function addressOf(request: Request): string {
  return rateKey(parseAddress(request.headers.get("CF-Connecting-IP") ?? ""));
}

/** Whether the request is served in local mode, where one click signs in. */
export function isLocal({ config }: OAuthDeps, request: Request): boolean {
  return localMode(config, new URL(request.url));
}
