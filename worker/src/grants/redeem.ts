/**
 * What a finished sign-in is exchanged for: an authorization code (RFC 6749 §4.1.3, PKCE) or the state of a poll flow
 * for a new grant. Each once.
 */
import { BoundedMap } from "../bounded-map.ts";
import type { Grants, TokenPair } from "./grants.ts";
import { LIFETIMES, pollTimes, type Records } from "./records.ts";
import { hashOf, isVerifierOf } from "./secrets.ts";

/** A poll that comes sooner than this after the one before it is told to slow down (RFC 8628 §3.5: 5 s). */
const POLL_INTERVAL_MS = 4_500;
/** States whose last poll is remembered at once. */
const MAX_POLLED = 10_000;

export interface CodeRequest {
  code: string;
  clientId: string;
  verifier: string;
  /** As it was authorized; null = not named. */
  redirectUri: string | null;
  /** RFC 8707; null = not named. */
  resource: string | null;
}

export type CodeResult =
  | { outcome: "ok"; pair: TokenPair }
  | { outcome: "invalid_grant"; reason: "unknown" | "client" | "redirect" | "verifier" | "reused" | "revoked" };

export interface PollRequest {
  state: string;
  clientId: string;
  clientName: string;
  verifier: string;
  /** Where the poll comes from, as the rate limit counts addresses. */
  address: string;
}

export type PollResult =
  | { outcome: "ok"; pair: TokenPair }
  | { outcome: "pending" | "slow_down" | "expired" | "invalid_grant" }
  | { outcome: "denied"; reason: string };

/** Exchanges a code. Only who could have exchanged it can, by presenting it again, end what came of it. */
export function redeemCode(records: Records, grants: Grants, request: CodeRequest, now: number): CodeResult {
  const hash = hashOf(request.code);
  const record = records.state("code", hash, now);
  if (!record) return { outcome: "invalid_grant", reason: "unknown" };
  if (record.clientId !== request.clientId) return { outcome: "invalid_grant", reason: "client" };
  if (request.redirectUri !== null && request.redirectUri !== record.redirectUri) {
    return { outcome: "invalid_grant", reason: "redirect" };
  }
  if (!isVerifierOf(record.challenge, request.verifier)) return { outcome: "invalid_grant", reason: "verifier" };
  if (record.spentOn !== null) {
    // RFC 6749 §4.1.2: all tokens issued for a code that is used twice should be revoked.
    grants.end(record.spentOn);
    return { outcome: "invalid_grant", reason: "reused" };
  }
  if (record.approval === null) return { outcome: "invalid_grant", reason: "revoked" };
  const { clientId, clientName, scopes, approval } = record;
  // Named at either step it limits the grant; both accept this server only.
  const resource = record.resource ?? request.resource;
  const { grantId, pair } = grants.issue({ clientId, clientName, scopes, resource }, approval, request.code, now);
  // Kept for as long as somebody may try it again.
  records.states.put(hash, { ...record, approval: null, spentOn: grantId, expiresAt: now + LIFETIMES.state });
  return { outcome: "ok", pair };
}

/** The polls of one shard. */
export class Polls {
  readonly #records: Records;
  readonly #grants: Grants;
  /** When a state was polled last. Only in memory: forgetting it costs a client nothing. */
  readonly #polledAt = new BoundedMap<string, number>(MAX_POLLED);

  constructor(records: Records, grants: Grants) {
    this.#records = records;
    this.#grants = grants;
  }

  /** Answers a poll. An approval is given at once, once, and to the one who has the verifier. */
  poll(request: PollRequest, now: number): PollResult {
    const key = hashOf(request.state);
    const record = this.#records.states.get(key, now);
    if (record === undefined) {
      // The browser has not come yet. Remembered is who asked first, which the consent page compares.
      this.#expect(key, request, now);
      return { outcome: "pending" };
    }
    if (record.kind !== "poll" || record.clientId !== request.clientId) return { outcome: "invalid_grant" };
    if (!isVerifierOf(record.challenge, request.verifier)) return { outcome: "invalid_grant" };
    if (record.deadline <= now) return { outcome: "expired" };
    switch (record.status) {
      case "consumed":
        return { outcome: "expired" };
      case "denied":
        return { outcome: "denied", reason: record.reason ?? "The sign-in was refused." };
      case "pending": {
        if (record.polledFrom === null) this.#records.states.put(key, { ...record, polledFrom: request.address });
        return { outcome: this.#tooSoon(key, now) ? "slow_down" : "pending" };
      }
      case "approved": {
        const { clientId, clientName, scopes, resource, approval } = record;
        if (approval === null) return { outcome: "expired" };
        const { pair } = this.#grants.issue({ clientId, clientName, scopes, resource }, approval, request.state, now);
        this.#records.states.put(key, { ...record, status: "consumed", approval: null, ...pollTimes(now) });
        return { outcome: "ok", pair };
      }
    }
  }

  #expect(key: string, { clientId, clientName, verifier, address }: PollRequest, now: number): void {
    this.#tooSoon(key, now);
    this.#records.states.put(key, {
      kind: "poll",
      clientId,
      clientName,
      // The S256 challenge of this verifier (RFC 7636 §4.2) is its hash.
      challenge: hashOf(verifier),
      polledFrom: address,
      scopes: [],
      resource: null,
      status: "pending",
      approval: null,
      reason: null,
      ...pollTimes(now),
    });
  }

  /** Whether a poll comes too soon after the one before it; it counts either way. */
  #tooSoon(key: string, now: number): boolean {
    const last = this.#polledAt.get(key);
    this.#polledAt.set(key, now);
    return last !== undefined && now - last < POLL_INTERVAL_MS;
  }
}
