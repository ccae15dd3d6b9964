/**
 * OAuthStore: the records of sign-in of one shard (`shard-{0…15}`).
 *
 * State: the object's own key-value storage, in the families of records.ts; docs/oauth-records.md. In memory only
 * what waits for GitHub at the moment (so that it is asked once), and when a state was polled last.
 *
 * Guarantees: a flow is in one shard from the consent page to its last refresh, and what is checked and written in one
 * step, nothing comes between: a code and an approval are redeemed once, a refresh token is rotated once.
 *
 * Lifecycle: an alarm takes away what has expired, and rests while there is nothing.
 *
 * This class is a shell: RPC and alarm over modules that take a key-value handle.
 */
import { DurableObject } from "cloudflare:workers";
import { readConfig } from "../config.ts";
import { type AccessBatchRunner, batchRunner, userGitHub } from "../github/user-github.ts";
import type { AccessChange, GitHubPort } from "../ports.ts";
import { effectOf } from "./access-change.ts";
import { type CheckedToken, Grants } from "./grants.ts";
import { type ClientRecord, type GrantRecord, LIFETIMES, Records, type SessionRecord } from "./records.ts";
import { type CodeRequest, type CodeResult, type PollRequest, type PollResult, Polls, redeemCode } from "./redeem.ts";
import { Refresher, type RefreshRequest, type RefreshResult } from "./refresh.ts";
import { hashOf } from "./secrets.ts";
import { type BeginResult, type CallbackResult, type ConsentResult, type NewTransaction, SignIns } from "./sign-ins.ts";

const SWEEP_INTERVAL_MS = 6 * 3_600_000;

/** A client's last use is written down once a day. */
const TOUCH_INTERVAL_MS = 24 * 3_600_000;

/** A grant as its owner sees it. */
export type GrantSummary = Pick<GrantRecord, "grantId" | "clientName" | "scopes" | "createdAt" | "refreshedAt">;

export class OAuthStore extends DurableObject<Env> {
  /** What is asked of GitHub; a test puts its own in its place. */
  github: GitHubPort;
  readonly #records: Records;
  readonly #grants: Grants;
  readonly #polls: Polls;
  readonly #signIns: SignIns;
  readonly #refresher: Refresher;
  readonly #readBatch: AccessBatchRunner;
  #armed = false;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    const configured = readConfig(env);
    if (!configured.ok) throw new Error(`configuration: ${configured.errors.join("; ")}`);
    const shard = Number(ctx.id.name?.replace("shard-", ""));
    if (!Number.isInteger(shard)) throw new Error("an OAuthStore is reached by its name, shard-{number}");
    this.#readBatch = batchRunner(configured.config);
    this.github = userGitHub(configured.config, { runBatch: this.#runBatch(env.OAUTH_STORE, `shard-${shard}`) });
    this.#records = new Records(ctx.storage.kv);
    this.#grants = new Grants(this.#records, shard);
    this.#polls = new Polls(this.#records, this.#grants);
    this.#signIns = new SignIns(this.#records, shard, () => this.github);
    this.#refresher = new Refresher(this.#grants, () => this.github, configured.config.accessRecheckSeconds * 1000);
  }

  /** One batch of a reading of access, asked for by this very object: a call has subrequests of its own. */
  readAccess(...batch: Parameters<AccessBatchRunner>): ReturnType<AccessBatchRunner> {
    return this.#readBatch(...batch);
  }

  /** The first batch runs here, and is all for nearly everybody; each further one in a call of its own. */
  #runBatch(namespace: Env["OAUTH_STORE"], name: string): AccessBatchRunner {
    return (accessToken, progress) => {
      if (progress === null) return this.#readBatch(accessToken, null);
      const self = namespace.getByName(name) as unknown as { readAccess: AccessBatchRunner };
      return self.readAccess(accessToken, progress);
    };
  }

  async client(clientId: string): Promise<ClientRecord | null> {
    const now = Date.now();
    const client = this.#records.clients.get(clientId, now);
    if (!client) return null;
    const expiresAt = now + LIFETIMES.client;
    if (expiresAt - client.expiresAt > TOUCH_INTERVAL_MS) this.#records.clients.put(clientId, { ...client, expiresAt });
    return client;
  }

  async putClient(client: ClientRecord): Promise<void> {
    this.#records.clients.put(client.clientId, client);
    await this.#arm();
  }

  async begin(request: NewTransaction): Promise<BeginResult> {
    const result = this.#signIns.begin(request, Date.now());
    await this.#arm();
    return result;
  }

  async consent(transaction: string, cookie: string, approved: boolean, local: boolean): Promise<ConsentResult> {
    return this.#signIns.consent(transaction, cookie, approved, local, Date.now());
  }

  async callback(
    transaction: string,
    cookie: string,
    code: string | null,
    redirectUri: string,
  ): Promise<CallbackResult> {
    return this.#signIns.callback(transaction, cookie, code, redirectUri);
  }

  async redeemCode(request: CodeRequest): Promise<CodeResult> {
    return redeemCode(this.#records, this.#grants, request, Date.now());
  }

  async poll(request: PollRequest): Promise<PollResult> {
    const result = this.#polls.poll(request, Date.now());
    await this.#arm();
    return result;
  }

  async refresh(request: RefreshRequest): Promise<RefreshResult> {
    return this.#refresher.refresh(request);
  }

  async check(accessToken: string): Promise<CheckedToken | null> {
    return this.#grants.check(hashOf(accessToken), Date.now());
  }

  async revoke(token: string, clientId: string): Promise<boolean> {
    return this.#grants.revoke(hashOf(token), clientId, Date.now());
  }

  async session(session: string): Promise<SessionRecord | null> {
    return this.#records.state("session", hashOf(session), Date.now()) ?? null;
  }

  async openLocalSession(): Promise<string> {
    const session = this.#signIns.openSession({ userId: 0, login: "local" }, Date.now());
    await this.#arm();
    return session;
  }

  async grantsOf(userId: number): Promise<GrantSummary[]> {
    const found: GrantSummary[] = [];
    for (const [grantId, grant] of this.#records.grants.all(Date.now())) {
      if (grant.userId !== userId) continue;
      const { clientName, scopes, createdAt, refreshedAt } = grant;
      found.push({ grantId, clientName, scopes, createdAt, refreshedAt });
    }
    return found;
  }

  async endGrant(grantId: string, userId: number): Promise<void> {
    if (this.#records.grants.get(grantId, Date.now())?.userId === userId) this.#grants.end(grantId);
  }

  /** A change at GitHub: grants, and what will become one, lose what it names; access tokens end. */
  async apply(change: AccessChange): Promise<void> {
    const now = Date.now();
    this.#signIns.apply(change, now);
    for (const [grantId, grant] of [...this.#records.grants.all(now)]) {
      const effect = effectOf(change, grant);
      if (effect.kind === "end") this.#grants.end(grantId);
      if (effect.kind !== "reduce") continue;
      this.#grants.update(grantId, { access: effect.access, accessStale: true, epoch: grant.epoch + 1 }, now);
    }
  }

  override async alarm(): Promise<void> {
    const now = Date.now();
    if (this.#records.sweep(now)) await this.ctx.storage.setAlarm(now + SWEEP_INTERVAL_MS);
    else this.#armed = false;
  }

  async #arm(): Promise<void> {
    if (this.#armed) return;
    this.#armed = true;
    if ((await this.ctx.storage.getAlarm()) === null) await this.ctx.storage.setAlarm(Date.now() + SWEEP_INTERVAL_MS);
  }
}
