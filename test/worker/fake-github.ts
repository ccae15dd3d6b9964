/** A GitHub that says what a test tells it to, in place of the port that each shard of OAuthStore asks. */
import { env, runInDurableObject } from "cloudflare:test";
import type { OAuthStore } from "../../worker/src/grants/oauth-store.ts";
import { SHARDS } from "../../worker/src/grants/secrets.ts";
import type { AccessAccount, GitHubAccess, GitHubPort, GitHubResult, GitHubUserToken } from "../../worker/src/ports.ts";

const UNAVAILABLE = { outcome: "unavailable", reason: "502", retryAfterSeconds: null } as const;
const REFUSED = { outcome: "refused", reason: "401" } as const;

export const MONA: GitHubAccess = {
  userId: 7,
  login: "mona",
  accounts: [
    { accountId: 7, login: "mona", repositories: "all", orgOwner: true },
    { accountId: 50, login: "acme", repositories: [501, 502], orgOwner: false },
  ],
};

export class FakeGitHub implements GitHubPort {
  /** What a code stands for: whoever signs in with it. */
  readonly codes = new Map<string, GitHubAccess>();
  /** Who a user token belongs to; deleting it is the user's revocation. */
  readonly tokens = new Map<string, GitHubAccess>();
  down = false;
  reads = 0;
  exchanges = 0;
  renewals = 0;
  /** Whether the App's user tokens expire, and when. */
  tokensExpireAt: number | null = null;
  /** Lets a test act while GitHub is being asked. */
  whileReading: () => Promise<void> = async () => {};
  #next = 0;

  /** A person who is about to come back from GitHub with a code. */
  code(access: GitHubAccess = MONA): string {
    const code = `github-code-${++this.#next}`;
    this.codes.set(code, access);
    return code;
  }

  /** Changes what every token of a user sees. */
  set(userId: number, accounts: AccessAccount[]): void {
    for (const [token, access] of this.tokens)
      if (access.userId === userId) this.tokens.set(token, { ...access, accounts });
  }

  async exchangeCode(code: string): Promise<GitHubResult<GitHubUserToken>> {
    this.exchanges++;
    if (this.down) return UNAVAILABLE;
    const access = this.codes.get(code);
    this.codes.delete(code);
    return access ? { outcome: "ok", value: this.#token(access) } : REFUSED;
  }

  async refreshUserToken(refreshToken: string): Promise<GitHubResult<GitHubUserToken>> {
    this.renewals++;
    if (this.down) return UNAVAILABLE;
    const access = this.tokens.get(refreshToken);
    this.tokens.delete(refreshToken);
    return access ? { outcome: "ok", value: this.#token(access) } : REFUSED;
  }

  async access(accessToken: string): Promise<GitHubResult<GitHubAccess>> {
    this.reads++;
    const access = this.tokens.get(accessToken);
    await this.whileReading();
    if (this.down) return UNAVAILABLE;
    return access ? { outcome: "ok", value: access } : REFUSED;
  }

  #token(access: GitHubAccess): GitHubUserToken {
    const accessToken = `github-user-token-${++this.#next}`;
    this.tokens.set(accessToken, access);
    if (this.tokensExpireAt === null) {
      return { accessToken, expiresAt: null, refreshToken: null, refreshTokenExpiresAt: null };
    }
    const refreshToken = `github-refresh-token-${this.#next}`;
    this.tokens.set(refreshToken, access);
    return { accessToken, expiresAt: this.tokensExpireAt, refreshToken, refreshTokenExpiresAt: null };
  }

  /** Puts this GitHub in the place of the real one, in every shard. */
  async install(): Promise<this> {
    for (let shard = 0; shard < SHARDS; shard++) {
      await runInDurableObject(env.OAUTH_STORE.getByName(`shard-${shard}`), (store: OAuthStore) => {
        store.github = this;
      });
    }
    return this;
  }
}

/** Everything that any shard has stored. */
export async function storedRecords(): Promise<[key: string, value: unknown][]> {
  const all: [string, unknown][] = [];
  for (let shard = 0; shard < SHARDS; shard++) {
    await runInDurableObject(env.OAUTH_STORE.getByName(`shard-${shard}`), (_, state) => {
      all.push(...state.storage.kv.list());
    });
  }
  return all;
}
