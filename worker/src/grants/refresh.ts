/**
 * The refresh of a grant: GitHub is asked what its user may see, then the token is rotated.
 *
 * Waiting for GitHub comes first, and once for all who present a token of the grant meanwhile; what the token stands
 * for is then looked at anew, in one step with the rotation. While GitHub can't be asked, the last known access serves
 * for at most {@link STALE_ACCESS_MS} after it was read; then the answer is "later", and the token stays unspent.
 */
import type { GitHubAccess, GitHubPort, GitHubResult, GitHubUserToken } from "../ports.ts";
import type { Grants, Presented, TokenPair } from "./grants.ts";
import { type GrantRecord, STALE_ACCESS_MS } from "./records.ts";

export interface RefreshRequest {
  refreshToken: string;
  clientId: string;
  /** What the new access token is asked to be good for; null = all of the grant's scopes. */
  scopes: string[] | null;
}

export type RefreshResult =
  | { outcome: "ok"; pair: TokenPair }
  /** `replayed`: the grant was ended for it. */
  | { outcome: "invalid_grant"; reason: "unknown" | "client" | "replayed" | "revoked" }
  | { outcome: "invalid_scope" }
  | { outcome: "unavailable"; retryAfterSeconds: number };

/** How often access is read anew because it changed while it was being read. */
const ATTEMPTS = 3;
/** A user token is not used in its last minute. */
const EXPIRY_MARGIN_MS = 60_000;
const RETRY_SECONDS = 30;

type AccessRead = "read" | "revoked" | { unavailable: number };

export class Refresher {
  readonly #grants: Grants;
  readonly #github: () => GitHubPort;
  readonly #recheckMs: number;
  readonly #reads = new Map<string, Promise<AccessRead>>();

  constructor(grants: Grants, github: () => GitHubPort, recheckMs: number) {
    this.#grants = grants;
    this.#github = github;
    this.#recheckMs = recheckMs;
  }

  async refresh(request: RefreshRequest): Promise<RefreshResult> {
    let presented = this.#grants.present(request.refreshToken, Date.now());
    const refusal = this.#refusal(presented, request);
    if (refusal) return refusal;
    if (presented.kind === "rotate" && this.#isStale(presented.grant, Date.now())) {
      const { grantId, accessReadAt } = presented.grant;
      const read = await this.#readOnce(presented.grant, presented.current);
      if (read === "revoked") {
        this.#grants.end(grantId);
        return { outcome: "invalid_grant", reason: "revoked" };
      }
      if (typeof read === "object" && Date.now() >= accessReadAt + STALE_ACCESS_MS) {
        return { outcome: "unavailable", retryAfterSeconds: read.unavailable };
      }
      // Others may have come first, or the grant may have ended.
      presented = this.#grants.present(request.refreshToken, Date.now());
      const late = this.#refusal(presented, request);
      if (late) return late;
    }
    switch (presented.kind) {
      case "repeat":
        return { outcome: "ok", pair: presented.pair };
      case "rotate": {
        const scopes = request.scopes ?? presented.grant.scopes;
        const pair = this.#grants.rotate(request.refreshToken, presented.current, scopes, Date.now());
        return { outcome: "ok", pair };
      }
      // Refused above.
      case "unknown":
      case "replay":
        return { outcome: "invalid_grant", reason: "unknown" };
    }
  }

  /** Why a presented token is not redeemed. A replay by the client that the token belongs to ends the grant. */
  #refusal(presented: Presented, request: RefreshRequest): RefreshResult | null {
    if (presented.kind === "unknown") return { outcome: "invalid_grant", reason: "unknown" };
    const { grant } = presented;
    if (grant.clientId !== request.clientId) return { outcome: "invalid_grant", reason: "client" };
    if (presented.kind === "replay") {
      this.#grants.end(grant.grantId);
      return { outcome: "invalid_grant", reason: "replayed" };
    }
    const within = request.scopes?.every((scope) => grant.scopes.includes(scope)) ?? true;
    return within ? null : { outcome: "invalid_scope" };
  }

  #isStale(grant: GrantRecord, now: number): boolean {
    if (grant.local) return false;
    return grant.accessStale || now - grant.accessReadAt >= this.#recheckMs;
  }

  /** One reading for all who wait for the same grant. */
  #readOnce(grant: GrantRecord, current: string): Promise<AccessRead> {
    const running = this.#reads.get(grant.grantId);
    if (running) return running;
    const read = this.#read(grant, current).finally(() => this.#reads.delete(grant.grantId));
    this.#reads.set(grant.grantId, read);
    return read;
  }

  async #read(grant: GrantRecord, current: string): Promise<AccessRead> {
    for (let attempt = 1; ; attempt++) {
      const epoch = this.#epochOf(current);
      const answer = await this.#ask(grant, current);
      switch (answer.outcome) {
        case "refused":
          return "revoked";
        case "unavailable":
          return { unavailable: answer.retryAfterSeconds ?? RETRY_SECONDS };
        case "ok": {
          if (answer.value.userId !== grant.userId) return "revoked";
          // A change that was told meanwhile may be newer than what was read.
          const changed = this.#epochOf(current) !== epoch;
          if (changed && attempt < ATTEMPTS) continue;
          const { login, accounts } = answer.value;
          const now = Date.now();
          this.#grants.update(grant.grantId, { login, access: accounts, accessReadAt: now, accessStale: changed }, now);
          return "read";
        }
      }
    }
  }

  #epochOf(refreshToken: string): number | null {
    const presented = this.#grants.present(refreshToken, Date.now());
    return presented.kind === "unknown" ? null : presented.grant.epoch;
  }

  /** Asks GitHub with the grant's user token, renewing that first where it has expired. */
  async #ask(grant: GrantRecord, current: string): Promise<GitHubResult<GitHubAccess>> {
    const github = this.#github();
    const stored = this.#grants.githubToken(grant, current, Date.now());
    if (stored === null) return { outcome: "refused", reason: "no user token" };
    const token = JSON.parse(stored) as GitHubUserToken;
    const expired = token.expiresAt !== null && token.expiresAt - EXPIRY_MARGIN_MS <= Date.now();
    if (!expired) {
      const answer = await github.access(token.accessToken);
      if (answer.outcome !== "refused" || token.refreshToken === null) return answer;
    }
    if (token.refreshToken === null) return { outcome: "refused", reason: "user token expired" };
    const renewed = await github.refreshUserToken(token.refreshToken);
    if (renewed.outcome !== "ok") return renewed;
    // GitHub's refresh token is spent: the new one is kept before anything else can fail.
    this.#grants.keepGithubToken(grant.grantId, current, JSON.stringify(renewed.value), Date.now());
    return github.access(renewed.value.accessToken);
  }
}
