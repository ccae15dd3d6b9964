/**
 * Grants and their tokens in one shard: what is issued, rotated, checked and ended.
 *
 * Rotation (spec: oauth.md §4). A refresh token that is presented makes way for a new pair, which stays readable for
 * whoever has the old token: sealed with it. Until the new pair is first used, however late, the old token yields it;
 * for a minute after that, too, since several processes may share one token; later, presenting it means that it is in
 * wrong hands, and ends the grant (RFC 9700 §4.14.2). Nothing awaits between a check and its writes, so that of any
 * number of simultaneous refreshes one rotates, and the others find its pair.
 */
import type { AccessAccount } from "../ports.ts";
import {
  type Approval,
  type GrantRecord,
  LIFETIMES,
  type Records,
  type RefreshRecord,
  ROTATION_GRACE_MS,
  STALE_ACCESS_MS,
} from "./records.ts";
import { hashOf, mintGrantId, mintKey, mintSecret, seal, unseal } from "./secrets.ts";

/** A bearer pair as it is handed out. */
export interface TokenPair {
  accessToken: string;
  refreshToken: string;
  /** Milliseconds since the epoch. */
  accessExpiresAt: number;
  scopes: string[];
}

/** What a new grant is for. */
export interface GrantRequest {
  clientId: string;
  clientName: string;
  scopes: string[];
  resource: string | null;
}

/** What a refresh token that is presented stands for. */
export type Presented =
  /** Unknown, expired, or of a grant that was ended. */
  | { kind: "unknown" }
  /** It, or a token that took its place and was never used, is to be rotated. */
  | { kind: "rotate"; grant: GrantRecord; current: string }
  /** It was rotated already, and its pair may still be asked for. */
  | { kind: "repeat"; grant: GrantRecord; pair: TokenPair }
  /** It was replaced, and its successor is in use. */
  | { kind: "replay"; grant: GrantRecord };

type CurrentRefresh = Extract<RefreshRecord, { state: "current" }>;

export interface CheckedToken {
  grantId: string;
  userId: number;
  login: string;
  local: boolean;
  clientId: string;
  scopes: string[];
  resource: string | null;
  access: AccessAccount[];
  expiresAt: number;
}

export class Grants {
  readonly #records: Records;
  readonly #shard: number;

  constructor(records: Records, shard: number) {
    this.#records = records;
    this.#shard = shard;
  }

  /** Opens a grant for what a person approved. `redeemed` is the secret that the approval's token is sealed with. */
  issue(
    request: GrantRequest,
    approval: Approval,
    redeemed: string,
    now: number,
  ): { grantId: string; pair: TokenPair } {
    const key = mintKey();
    const github = approval.github && seal(key, "github-token", unseal(redeemed, "github-token", approval.github));
    const grant: GrantRecord = {
      ...request,
      grantId: mintGrantId(this.#shard),
      userId: approval.userId,
      login: approval.login,
      local: approval.local,
      access: approval.access,
      accessReadAt: approval.accessReadAt,
      accessStale: approval.accessStale,
      github,
      epoch: 0,
      createdAt: now,
      refreshedAt: now,
      expiresAt: now + LIFETIMES.refreshToken,
    };
    const pair = this.#newPair(grant, grant.scopes, github && key, [], now);
    this.#records.grants.put(grant.grantId, grant);
    return { grantId: grant.grantId, pair };
  }

  /** Finds out what a presented refresh token stands for. Changes nothing. */
  present(refreshToken: string, now: number): Presented {
    const record = this.#records.refreshes.get(hashOf(refreshToken), now);
    const grant = record && this.#records.grants.get(record.grantId, now);
    if (!record || !grant) return { kind: "unknown" };
    if (record.state === "current") return { kind: "rotate", grant, current: refreshToken };
    if (record.next === null || graceIsOver(record.nextUsedAt, now)) return { kind: "replay", grant };
    const pair = JSON.parse(unseal(refreshToken, "next-pair", record.next)) as TokenPair;
    const access = this.#records.tokens.get(hashOf(pair.accessToken), now);
    // A pair whose access token is over is of no use: what took its place is, or else its own rotation.
    if (!access || access.epoch !== grant.epoch) return this.present(pair.refreshToken, now);
    return { kind: "repeat", grant, pair };
  }

  /**
   * Rotates a current refresh token. `presented` is the token that the client has: the current one, or one before it
   * whose answer was lost, in which case the current one has not been used by anybody.
   */
  rotate(presented: string, current: string, scopes: string[], now: number): TokenPair {
    const hash = hashOf(current);
    const record = this.#records.refreshes.get(hash, now) as CurrentRefresh;
    const grant = this.#records.grants.get(record.grantId, now) as GrantRecord;
    const key = record.githubKey && unseal(current, "github-key", record.githubKey);
    if (presented === current) this.#used(record.replaces, now);
    const replaces = presented === current ? [hash] : [...record.replaces, hash];
    const pair = this.#newPair(grant, scopes, key, replaces, now);
    this.#records.refreshes.put(hash, {
      state: "rotated",
      grantId: grant.grantId,
      next: seal(current, "next-pair", JSON.stringify(pair)),
      nextUsedAt: null,
      expiresAt: record.expiresAt,
    });
    this.#records.grants.put(grant.grantId, { ...grant, refreshedAt: now, expiresAt: now + LIFETIMES.refreshToken });
    return pair;
  }

  /** Whom an access token speaks for; its first use is what makes its pair a used one. Null = not valid. */
  check(tokenHash: string, now: number): CheckedToken | null {
    const token = this.#records.tokens.get(tokenHash, now);
    const grant = token && this.#records.grants.get(token.grantId, now);
    if (!token || !grant || token.epoch !== grant.epoch) return null;
    if (!token.used) {
      this.#records.tokens.put(tokenHash, { ...token, used: true });
      this.#used(token.replaces, now);
    }
    const { grantId, userId, login, local, clientId, resource, access } = grant;
    const { scopes, expiresAt } = token;
    return { grantId, userId, login, local, clientId, scopes, resource, access, expiresAt };
  }

  /** Opens the GitHub token of a grant with its current refresh token; null if it has none. */
  githubToken(grant: GrantRecord, current: string, now: number): string | null {
    const key = this.#githubKey(current, now);
    return grant.github && key && unseal(key, "github-token", grant.github);
  }

  /** Keeps another GitHub token for a grant. */
  keepGithubToken(grantId: string, current: string, token: string, now: number): void {
    const key = this.#githubKey(current, now);
    if (key) this.update(grantId, { github: seal(key, "github-token", token) }, now);
  }

  /** Changes a grant that still exists. */
  update(grantId: string, change: Partial<GrantRecord>, now: number): void {
    const grant = this.#records.grants.get(grantId, now);
    if (grant) this.#records.grants.put(grantId, { ...grant, ...change });
  }

  /** Ends a grant: without it none of its tokens is valid, and the sweep takes them away. */
  end(grantId: string): void {
    this.#records.grants.delete(grantId);
  }

  /**
   * Ends what a token stands for: the grant of a refresh token, an access token itself (RFC 7009 §2.1).
   *
   * @returns false if it was issued to another client; nothing happens then
   */
  revoke(tokenHash: string, clientId: string, now: number): boolean {
    const token = this.#records.tokens.get(tokenHash, now);
    const grantId = token?.grantId ?? this.#records.refreshes.get(tokenHash, now)?.grantId;
    const grant = grantId && this.#records.grants.get(grantId, now);
    if (!grant) return true;
    if (grant.clientId !== clientId) return false;
    if (token) this.#records.tokens.delete(tokenHash);
    else this.end(grant.grantId);
    return true;
  }

  #githubKey(current: string, now: number): string | null {
    const record = this.#records.refreshes.get(hashOf(current), now);
    if (record?.state !== "current" || record.githubKey === null) return null;
    return unseal(current, "github-key", record.githubKey);
  }

  #newPair(grant: GrantRecord, scopes: string[], key: string | null, replaces: string[], now: number): TokenPair {
    const lastAccess = grant.local ? Number.POSITIVE_INFINITY : grant.accessReadAt + STALE_ACCESS_MS;
    const lifetime = grant.accessStale ? LIFETIMES.staleAccessToken : LIFETIMES.accessToken;
    const pair: TokenPair = {
      accessToken: mintSecret("access", this.#shard),
      refreshToken: mintSecret("refresh", this.#shard),
      accessExpiresAt: Math.min(now + lifetime, lastAccess),
      scopes,
    };
    this.#records.tokens.put(hashOf(pair.accessToken), {
      grantId: grant.grantId,
      scopes,
      epoch: grant.epoch,
      used: false,
      replaces,
      expiresAt: pair.accessExpiresAt,
    });
    this.#records.refreshes.put(hashOf(pair.refreshToken), {
      state: "current",
      grantId: grant.grantId,
      githubKey: key && seal(pair.refreshToken, "github-key", key),
      replaces,
      expiresAt: now + LIFETIMES.refreshToken,
    });
    return pair;
  }

  /** The pair that took the place of these refresh tokens has been used. */
  #used(replaced: readonly string[], now: number): void {
    for (const hash of replaced) {
      const record = this.#records.refreshes.get(hash, now);
      if (record?.state === "rotated" && record.nextUsedAt === null) {
        this.#records.refreshes.put(hash, { ...record, nextUsedAt: now });
      }
    }
  }
}

function graceIsOver(usedAt: number | null, now: number): boolean {
  return usedAt !== null && now > usedAt + ROTATION_GRACE_MS;
}
