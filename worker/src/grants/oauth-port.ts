/**
 * The shards of OAuthStore as one: each call goes to the shard that its secret, grant id or text names. What has not
 * even the form of a secret is refused without asking anyone.
 *
 * A call that a reset broke off is made once more where the second changes nothing that the first has done; a code and
 * a poll are good once, and are not.
 */
import type { DurableObject } from "cloudflare:workers";
import type { AccessChange, AccessChangesPort } from "../ports.ts";
import { retryOnReset } from "../retry.ts";
import type { CheckedToken } from "./grants.ts";
import type { GrantSummary, OAuthStore } from "./oauth-store.ts";
import type { ClientRecord, SessionRecord } from "./records.ts";
import type { CodeRequest, CodeResult, PollRequest, PollResult } from "./redeem.ts";
import type { RefreshRequest, RefreshResult } from "./refresh.ts";
import {
  mintCookie,
  mintSecret,
  type SecretKind,
  SHARDS,
  shardOfGrant,
  shardOfSecret,
  shardOfText,
} from "./secrets.ts";
import type { BeginResult, CallbackResult, ConsentResult, NewTransaction } from "./sign-ins.ts";

/** A visit to the consent page as the browser knows it. */
export interface Transaction {
  transaction: string;
  cookie: string;
}

/** Sign-in's records, wherever they are. */
export interface OAuthPort extends AccessChangesPort {
  client(clientId: string): Promise<ClientRecord | null>;
  putClient(client: ClientRecord): Promise<void>;
  begin(request: Omit<NewTransaction, keyof Transaction>): Promise<BeginResult & Transaction>;
  consent(visit: Transaction, approved: boolean, local: boolean): Promise<ConsentResult>;
  callback(visit: Transaction, code: string | null, redirectUri: string): Promise<CallbackResult>;
  redeemCode(request: CodeRequest): Promise<CodeResult>;
  poll(request: PollRequest): Promise<PollResult>;
  refresh(request: RefreshRequest): Promise<RefreshResult>;
  /** Null = not valid. */
  check(accessToken: string): Promise<CheckedToken | null>;
  /** Ends what a token stands for (RFC 7009); false = it is another client's. */
  revoke(token: string, clientId: string): Promise<boolean>;
  session(session: string): Promise<SessionRecord | null>;
  /** Local mode's viewer needs no sign-in to look at their grants. */
  openLocalSession(): Promise<string>;
  grantsOf(userId: number): Promise<GrantSummary[]>;
  /** Ends a grant, if it is this user's. */
  endGrant(grantId: string, userId: number): Promise<void>;
}

/** The RPC methods of a shard, without what the runtime's types wrap around unions. */
type Shard = Omit<OAuthStore, keyof DurableObject | "github">;

const UNKNOWN = { outcome: "unknown" } as const;

/** The port over the Durable Object namespace. */
export function oauthPort(namespace: DurableObjectNamespace<OAuthStore>): OAuthPort {
  const shard = (number: number) => namespace.getByName(`shard-${number}`) as unknown as Shard;
  const ofSecret = (kind: SecretKind, secret: string) => {
    const number = shardOfSecret(kind, secret);
    return number === null ? null : () => shard(number);
  };
  const everyShard = <T>(call: (stub: Shard) => Promise<T>): Promise<T[]> =>
    Promise.all(Array.from({ length: SHARDS }, (_, number) => retryOnReset(() => call(shard(number)))));

  return {
    client: (clientId) => retryOnReset(() => shard(shardOfText(clientId)).client(clientId)),
    putClient: (client) => retryOnReset(() => shard(shardOfText(client.clientId)).putClient(client)),
    async begin(request) {
      const { target } = request;
      // A poll flow is all in the shard that its state names; any other in one at random.
      const number = target.type === "poll" ? shardOfText(target.state) : Math.floor(Math.random() * SHARDS);
      const visit = { transaction: mintSecret("transaction", number), cookie: mintCookie() };
      const result = await retryOnReset(() => shard(number).begin({ ...request, ...visit }));
      return { ...result, ...visit };
    },
    async consent(visit, approved, local) {
      const stub = ofSecret("transaction", visit.transaction);
      return stub ? retryOnReset(() => stub().consent(visit.transaction, visit.cookie, approved, local)) : UNKNOWN;
    },
    async callback(visit, code, redirectUri) {
      const stub = ofSecret("transaction", visit.transaction);
      return stub ? stub().callback(visit.transaction, visit.cookie, code, redirectUri) : UNKNOWN;
    },
    async redeemCode(request) {
      const stub = ofSecret("code", request.code);
      return stub ? stub().redeemCode(request) : { outcome: "invalid_grant", reason: "unknown" };
    },
    poll: (request) => shard(shardOfText(request.state)).poll(request),
    async refresh(request) {
      const stub = ofSecret("refresh", request.refreshToken);
      return stub ? retryOnReset(() => stub().refresh(request)) : { outcome: "invalid_grant", reason: "unknown" };
    },
    async check(accessToken) {
      const stub = ofSecret("access", accessToken);
      return stub ? retryOnReset(() => stub().check(accessToken)) : null;
    },
    async revoke(token, clientId) {
      const stub = ofSecret("refresh", token) ?? ofSecret("access", token);
      return stub ? retryOnReset(() => stub().revoke(token, clientId)) : true;
    },
    async session(session) {
      const stub = ofSecret("session", session);
      return stub ? retryOnReset(() => stub().session(session)) : null;
    },
    openLocalSession: () => shard(0).openLocalSession(),
    async grantsOf(userId) {
      return (await everyShard((stub) => stub.grantsOf(userId))).flat();
    },
    async endGrant(grantId, userId) {
      const number = shardOfGrant(grantId);
      if (number !== null) await retryOnReset(() => shard(number).endGrant(grantId, userId));
    },
    async apply(change: AccessChange) {
      await everyShard((stub) => stub.apply(change));
    },
  };
}
