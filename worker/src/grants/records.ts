/**
 * What an OAuthStore keeps: five families of keys in the object's key-value storage, and how long each lives.
 *
 * Secrets are never keys. Under `token:` and `refresh:` the SHA-256 of the token stands, under `web_auth_state:` that
 * of a state: of a visit to the consent page, of a poll flow, of an authorization code, of a browser's session.
 */
import { z } from "zod";

/** Milliseconds. */
export const LIFETIMES = {
  accessToken: 3_600_000,
  /** Of one whose access is known to be out of date: until its first refresh reads it anew. */
  staleAccessToken: 60_000,
  /** Renewed at each rotation, together with its grant. */
  refreshToken: 30 * 24 * 3_600_000,
  state: 600_000,
  code: 60_000,
  session: 600_000,
  /** Since its last use. */
  client: 365 * 24 * 3_600_000,
} as const;

/** How long after the first use of a new pair the token before it still yields that pair. */
export const ROTATION_GRACE_MS = 60_000;

/** How long after it was last read the access of a user may serve while GitHub can't be asked. */
export const STALE_ACCESS_MS = 4 * 3_600_000;

const time = z.int();

const accessAccount = z.object({
  accountId: z.int(),
  login: z.string(),
  repositories: z.union([z.literal("all"), z.array(z.int())]),
  orgOwner: z.boolean(),
});

export const clientSchema = z.object({
  clientId: z.string(),
  /** `document`: read from its metadata document, whose URL is the client id. */
  kind: z.enum(["registered", "document"]),
  name: z.string().nullable(),
  redirectUris: z.array(z.string()),
  grantTypes: z.array(z.string()),
  /** When it was registered, or its document read. */
  readAt: time,
  expiresAt: time,
});

/** What a sign-in at GitHub (or local mode's click) came to. `github` is sealed with the secret that redeems it. */
const approvalSchema = z.object({
  userId: z.int(),
  login: z.string(),
  local: z.boolean(),
  access: z.array(accessAccount),
  accessReadAt: time,
  /** Something is known to have changed since. */
  accessStale: z.boolean(),
  github: z.string().nullable(),
});

/** Where a visit to the consent page leads when it ends well. */
const targetSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("code"), redirectUri: z.string(), challenge: z.string() }),
  /** `key` = SHA-256 of the state that is polled for. */
  z.object({ type: z.literal("poll"), key: z.string() }),
  /** The page of grants: no client is involved. */
  z.object({ type: z.literal("grants") }),
]);

const transactionSchema = z.object({
  kind: z.literal("transaction"),
  clientId: z.string(),
  clientName: z.string(),
  target: targetSchema,
  scopes: z.array(z.string()),
  resource: z.string().nullable(),
  /** The client's own state, sealed with the transaction's secret. */
  clientState: z.string().nullable(),
  /** SHA-256 of the cookie that binds it to one browser. */
  cookie: z.string(),
  status: z.enum(["consent", "approved", "finished"]),
  /** How it ended, sealed with the cookie: whoever comes twice is told the same twice. */
  outcome: z.string().nullable(),
  expiresAt: time,
});

const pollSchema = z.object({
  kind: z.literal("poll"),
  clientId: z.string(),
  challenge: z.string(),
  /** Who polled first: an address, or an IPv6 /64. */
  polledFrom: z.string().nullable(),
  scopes: z.array(z.string()),
  resource: z.string().nullable(),
  status: z.enum(["pending", "approved", "denied", "consumed"]),
  approval: approvalSchema.nullable(),
  clientName: z.string(),
  /** Why it was denied, for the client's developer. */
  reason: z.string().nullable(),
  /** Until when it can be approved, and then redeemed. The record outlives it, to say that it is over. */
  deadline: time,
  expiresAt: time,
});

const codeSchema = z.object({
  kind: z.literal("code"),
  clientId: z.string(),
  clientName: z.string(),
  redirectUri: z.string(),
  challenge: z.string(),
  scopes: z.array(z.string()),
  resource: z.string().nullable(),
  approval: approvalSchema.nullable(),
  /** The grant that it was exchanged for. */
  spentOn: z.string().nullable(),
  expiresAt: time,
});

const sessionSchema = z.object({
  kind: z.literal("session"),
  userId: z.int(),
  login: z.string(),
  expiresAt: time,
});

export const stateSchema = z.discriminatedUnion("kind", [transactionSchema, pollSchema, codeSchema, sessionSchema]);

export const grantSchema = z.object({
  grantId: z.string(),
  clientId: z.string(),
  clientName: z.string(),
  userId: z.int(),
  login: z.string(),
  /** Of local mode's one viewer, whose access is the whole registry. */
  local: z.boolean(),
  access: z.array(accessAccount),
  accessReadAt: time,
  /** Something is known to have changed since. */
  accessStale: z.boolean(),
  /** GitHub's user token, sealed with a key that is sealed with the refresh token. */
  github: z.string().nullable(),
  /** Access tokens of another epoch have expired: a change of access moves it on. */
  epoch: z.int(),
  scopes: z.array(z.string()),
  resource: z.string().nullable(),
  createdAt: time,
  refreshedAt: time,
  expiresAt: time,
});

export const tokenSchema = z.object({
  grantId: z.string(),
  scopes: z.array(z.string()),
  epoch: z.int(),
  used: z.boolean(),
  /** SHA-256 of the refresh tokens in whose place its pair was given. */
  replaces: z.array(z.string()),
  expiresAt: time,
});

export const refreshSchema = z.discriminatedUnion("state", [
  z.object({
    state: z.literal("current"),
    grantId: z.string(),
    githubKey: z.string().nullable(),
    replaces: z.array(z.string()),
    expiresAt: time,
  }),
  z.object({
    state: z.literal("rotated"),
    grantId: z.string(),
    /** The pair that took its place, sealed with it; null once it can't be asked for any more. */
    next: z.string().nullable(),
    /** When that pair was first used. */
    nextUsedAt: time.nullable(),
    expiresAt: time,
  }),
]);

export type ClientRecord = z.infer<typeof clientSchema>;
export type Approval = z.infer<typeof approvalSchema>;
export type Target = z.infer<typeof targetSchema>;
export type TransactionRecord = z.infer<typeof transactionSchema>;
export type PollRecord = z.infer<typeof pollSchema>;
export type CodeRecord = z.infer<typeof codeSchema>;
export type SessionRecord = z.infer<typeof sessionSchema>;
export type StateRecord = z.infer<typeof stateSchema>;
export type GrantRecord = z.infer<typeof grantSchema>;
export type TokenRecord = z.infer<typeof tokenSchema>;
export type RefreshRecord = z.infer<typeof refreshSchema>;

/** How long a poll flow may go on from now, and how long it is then remembered that it is over. */
export function pollTimes(now: number): Pick<PollRecord, "deadline" | "expiresAt"> {
  return { deadline: now + LIFETIMES.state, expiresAt: now + 2 * LIFETIMES.state };
}

const FAMILIES = {
  client: { prefix: "client:", schema: clientSchema },
  state: { prefix: "web_auth_state:", schema: stateSchema },
  token: { prefix: "token:", schema: tokenSchema },
  refresh: { prefix: "refresh:", schema: refreshSchema },
  grant: { prefix: "grant:", schema: grantSchema },
} as const;

export type Kv = Pick<SyncKvStorage, "get" | "put" | "delete" | "list">;

/** One family: typed, and with what has expired already gone. */
export class Family<T extends { expiresAt: number }> {
  readonly #kv: Kv;
  readonly #prefix: string;
  readonly #schema: z.ZodType<T>;

  constructor(kv: Kv, family: { prefix: string; schema: z.ZodType<T> }) {
    this.#kv = kv;
    this.#prefix = family.prefix;
    this.#schema = family.schema;
  }

  /** The record under an id that is a hash, a client id or a grant id; undefined if unknown or expired. */
  get(id: string, now: number): T | undefined {
    const value = this.#kv.get(this.#prefix + id);
    if (value === undefined) return undefined;
    const record = this.#schema.parse(value);
    return record.expiresAt > now ? record : undefined;
  }

  put(id: string, record: T): void {
    this.#kv.put(this.#prefix + id, record);
  }

  delete(id: string): void {
    this.#kv.delete(this.#prefix + id);
  }

  *all(now: number): Generator<[id: string, record: T]> {
    for (const [key, value] of this.#kv.list({ prefix: this.#prefix })) {
      const record = this.#schema.parse(value);
      if (record.expiresAt > now) yield [key.slice(this.#prefix.length), record];
    }
  }
}

/** The records of one shard. */
export class Records {
  readonly clients: Family<ClientRecord>;
  readonly states: Family<StateRecord>;
  readonly tokens: Family<TokenRecord>;
  readonly refreshes: Family<RefreshRecord>;
  readonly grants: Family<GrantRecord>;
  readonly #kv: Kv;

  constructor(kv: Kv) {
    this.#kv = kv;
    this.clients = new Family(kv, FAMILIES.client);
    this.states = new Family(kv, FAMILIES.state);
    this.tokens = new Family(kv, FAMILIES.token);
    this.refreshes = new Family(kv, FAMILIES.refresh);
    this.grants = new Family(kv, FAMILIES.grant);
  }

  /** The state of one kind; undefined if unknown, expired or of another kind. */
  state<K extends StateRecord["kind"]>(
    kind: K,
    hash: string,
    now: number,
  ): Extract<StateRecord, { kind: K }> | undefined {
    const record = this.states.get(hash, now);
    return record?.kind === kind ? (record as Extract<StateRecord, { kind: K }>) : undefined;
  }

  /** Deletes what has expired. Returns whether anything is left that will. */
  sweep(now: number): boolean {
    const expired: string[] = [];
    let left = false;
    for (const [key, value] of this.#kv.list()) {
      if ((value as { expiresAt: number }).expiresAt <= now) expired.push(key);
      else left = true;
    }
    for (const key of expired) this.#kv.delete(key);
    return left;
  }
}
