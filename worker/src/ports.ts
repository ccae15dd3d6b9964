/**
 * The narrow interfaces through which the Worker's rooms speak to its Durable Objects. Everything here is plain
 * data: it crosses RPC as it is. A room is given the port it needs, never `Env`.
 */

import type { StorePosition } from "@github-webhook-mcp/shared/cursor.ts";
import type { EventFilter, SearchText } from "@github-webhook-mcp/shared/events.ts";
import type { StoreViewer, Viewer } from "./viewer.ts";

// ── WebhookStore ────────────────────────────────────────────────────────────────────────────────────────────────

/** JSON text in independently compressed pieces; see payload/codec.ts. */
export interface PackedPayload {
  /** UTF-8 bytes of the raw JSON text. */
  size: number;
  chunks: Uint8Array[];
}

/** One delivery that passed every gate, ready to be written. */
export interface IngestDelivery {
  accountId: number;
  /** 24 bytes: names (host, hook target type, hook target id, delivery). Unique in the store. */
  key: Uint8Array;
  /** The well-formed delivery GUID in lower case (the first 16 bytes of `key` are its bytes), else null. */
  guid: string | null;
  /** `X-GitHub-Delivery` as it came; null if it did not. */
  deliveryId: string | null;
  type: string;
  /** Repository id, or NO_REPOSITORY. */
  repository: number;
  repositoryName: string | null;
  /** JSON of a PayloadSummary. */
  summary: string;
  text: SearchText;
  payload: PackedPayload;
  /** Not charged to the tenant's quota (`installation*` events). */
  quotaExempt: boolean;
  /** Set for lifecycle events that bear on the store as a whole. */
  lifecycle?: "installed" | "uninstalled";
}

export type IngestResult =
  | { outcome: "stored" | "duplicate"; id: string }
  | { outcome: "quota"; retryAfterSeconds: number };

/** One event as a store returns it. */
export interface EventRow {
  seq: number;
  id: string;
  /** Only where it differs from the id. */
  deliveryId: string | null;
  type: string;
  repository: number;
  /** Milliseconds since the epoch; never decreases with seq. */
  receivedAt: number;
  processed: boolean;
  /** JSON of a PayloadSummary. */
  summary: string;
  payloadSize: number;
}

export interface EventWithPayload extends EventRow {
  payload: PackedPayload;
}

export interface StoreStatus {
  /** Pending events by type, for this viewer. */
  types: Record<string, number>;
  /** `receivedAt` of the newest pending event. */
  latestReceivedAt: number | null;
  /** Position after the newest event. */
  position: StorePosition;
  /** Unread events that the volume cap removed within the last seven days. */
  dropped: number;
}

/** Where a list starts: strictly below (newest first) or above (oldest first) this place in one store. */
export type ListBound =
  | { seq: number }
  /** For a store that the cursor names no seq of: by time; `inclusive` = what came at this very time is listed. */
  | { receivedAt: number; inclusive: boolean };

export interface ListQuery {
  order: "newest" | "oldest";
  /** At most this many events, 1–100. */
  limit: number;
  filter: EventFilter;
  bound?: ListBound;
}

/**
 * How far a page looked: everything on the near side of it is in the page, and a next page goes on strictly beyond
 * `seq`. Null = the store has no more. It can be set though fewer than `limit` events came: a selective filter stops
 * after a bounded number of rows.
 */
export interface ListFrontier {
  seq: number;
  receivedAt: number;
}

export interface ListPage {
  events: EventRow[];
  next: ListFrontier | null;
}

export interface EventAt {
  event: EventRow;
  /** The position right after this event. */
  position: StorePosition;
}

export interface SincePage {
  events: EventAt[];
  /** The position after everything that was looked at, filtered-out events included. */
  position: StorePosition;
  /** More is waiting beyond `limit`. */
  more: boolean;
}

export interface SearchQuery {
  query: string;
  limit: number;
  filter: EventFilter;
}

export interface SearchHit extends EventRow {
  /** Lower is better (bm25). Comparable between stores only roughly. */
  rank: number;
}

export interface MarkResult {
  /** Ids among those asked for that exist here and are visible to the viewer, in any processed state. */
  found: string[];
  /** How many changed state. */
  marked: number;
  /** Events removed by the sweep that a mark runs. */
  purged: number;
}

/** RPC surface of one account's WebhookStore. `viewer` decides in SQL what is seen. */
export interface StorePort {
  ingest(delivery: IngestDelivery): Promise<IngestResult>;
  status(viewer: StoreViewer): Promise<StoreStatus>;
  list(viewer: StoreViewer, query: ListQuery): Promise<ListPage>;
  /** Like list, with payloads of the first events whose raw sizes fit the budget together; the first always. */
  listWithPayloads(
    viewer: StoreViewer,
    query: ListQuery,
    budget: number,
  ): Promise<{ events: EventWithPayload[]; next: ListFrontier | null }>;
  event(viewer: StoreViewer, id: string): Promise<EventWithPayload | null>;
  /** Everything after a position in delivery order; absent position = from the beginning. */
  since(
    viewer: StoreViewer,
    position: StorePosition | undefined,
    filter: EventFilter,
    limit: number,
  ): Promise<SincePage>;
  /** The position after the newest event. */
  head(viewer: StoreViewer): Promise<StorePosition>;
  /** Turns a time into a position: right after the last event received before it (or at it, if inclusive). */
  positionAt(viewer: StoreViewer, receivedAt: number, inclusive: boolean): Promise<StorePosition>;
  search(viewer: StoreViewer, query: SearchQuery): Promise<SearchHit[]>;
  mark(viewer: StoreViewer, ids: readonly string[]): Promise<MarkResult>;
  /** Marks the pending events at or before `seq` that match the filter. */
  markUpTo(viewer: StoreViewer, seq: number, filter: EventFilter): Promise<MarkResult>;
  /** WebSocket upgrade: the live feed, see LiveHello. */
  fetch(request: Request): Promise<Response>;
}

/** First text frame that a listener sends on a store's socket; the store answers `{"ready":seq}`. May be sent again. */
export interface LiveHello {
  viewer: StoreViewer;
  filter: EventFilter;
}

/** What a store then sends for each new visible event: storage first, broadcast second. */
export type LiveFrame = { ready: number } | { event: EventRow };

/** A listener's text message that the runtime answers for a store, without waking it; and its answer. */
export const LIVE_PING = "ping";
export const LIVE_PONG = "pong";

export interface StoresPort {
  /** The store of an account. */
  store(accountId: number): StorePort;
}

// ── TenantRegistry ──────────────────────────────────────────────────────────────────────────────────────────────

export interface Account {
  id: number;
  login: string;
  type: "User" | "Organization";
}

export interface InstallationRecord {
  installationId: number;
  accountId: number;
  suspended: boolean;
  deleted: boolean;
}

/** What a signed lifecycle delivery changes in the registry. */
export type RegistryChange =
  | {
      kind: "installed" | "uninstalled" | "suspended" | "unsuspended";
      installationId: number;
      account: Account;
      /** When GitHub last changed the installation, as the payload says (ms): what is older than known is ignored. */
      at: number | null;
    }
  | { kind: "renamed"; account: Account };

export interface QuotaLease {
  /** How many deliveries may be stored under it; 0 = the quota is spent. */
  granted: number;
  /** When the window ends, milliseconds since the epoch. */
  windowEnd: number;
}

export interface RegistryPort {
  /** The account of an installation, null if it was never seen. */
  resolve(installationId: number): Promise<InstallationRecord | null>;
  /** Makes an account (and its installation, if any) known; returns the account that owns the installation. */
  admit(account: Account, installationId: number | null): Promise<{ accountId: number }>;
  /** Takes over a change. `installed`: whether the account has an installation now; deletion of one is final. */
  apply(change: RegistryChange): Promise<{ installed: boolean }>;
  /** Atomic check-and-increment of an account's hourly quota, in one step for many deliveries. */
  lease(accountId: number, wanted: number): Promise<QuotaLease>;
  accounts(): Promise<Account[]>;
}

// ── WebhookMcpAgent ─────────────────────────────────────────────────────────────────────────────────────────────

export interface McpCaller {
  viewer: Viewer;
  scopes: readonly string[];
}

export interface AgentPort {
  serve(request: Request, caller: McpCaller): Promise<Response>;
}

// ── GitHub's REST API, on behalf of a user ──────────────────────────────────────────────────────────────────────

/**
 * What came of a question to GitHub. `refused`: GitHub answered, and said no (a bad or used code, a revoked or expired
 * token): asking again won't help. `unavailable`: no usable answer (down, slower than 10 s, rate limited, garbage):
 * nothing is known about the user. `reason` is for the log: it never holds a token or a code.
 */
export type GitHubResult<T> =
  | { outcome: "ok"; value: T }
  | { outcome: "refused"; reason: string }
  | { outcome: "unavailable"; reason: string; retryAfterSeconds: number | null };

/** A GitHub App's user token. Apps whose tokens expire hand out a refresh token with it, which is good once. */
export interface GitHubUserToken {
  accessToken: string;
  /** Milliseconds since the epoch; null = does not expire. */
  expiresAt: number | null;
  refreshToken: string | null;
  refreshTokenExpiresAt: number | null;
}

/** One account of a user's access: a {@link ViewerAccount} as plain data. */
export interface AccessAccount {
  accountId: number;
  login: string;
  /** `all` for the user's own account and for organizations they own, else the ids of what they can see. */
  repositories: "all" | number[];
  orgOwner: boolean;
}

/** Who a user token belongs to, and what GitHub lets them see through this App's installations. */
export interface GitHubAccess {
  userId: number;
  login: string;
  /** The user's own account, installed or not, then every account with an installation that they can reach. */
  accounts: AccessAccount[];
}

/**
 * Each call takes at most 10 s for one answer of GitHub, follows all pages, and never throws. `userGitHub(config)` in
 * github/user-github.ts makes one.
 */
export interface GitHubPort {
  /** Code → user token (`POST /login/oauth/access_token`, as a confidential client). */
  exchangeCode(code: string, redirectUri: string): Promise<GitHubResult<GitHubUserToken>>;
  /** A new user token for an expired one. The old refresh token is spent when it succeeds. */
  refreshUserToken(refreshToken: string): Promise<GitHubResult<GitHubUserToken>>;
  /** Reads who the user is and what they can see, now. All of it or nothing: a part that fails is `unavailable`. */
  access(accessToken: string): Promise<GitHubResult<GitHubAccess>>;
}

// ── Grants, as webhooks see them ────────────────────────────────────────────────────────────────────────────────

/**
 * A change of who may see what, as a signed webhook tells it. `userId` null = whoever has the account; the access
 * tokens of every grant that it concerns end, so that access is read anew.
 */
export type AccessChange =
  /** The user revoked their authorization of the App: their grants end. */
  | { kind: "authorization-revoked"; userId: number }
  | { kind: "account-lost"; accountId: number; userId: number | null }
  | { kind: "repositories-lost"; accountId: number; repositories: number[]; userId: number | null }
  /** Something may have been lost or gained; only GitHub can say what. */
  | { kind: "changed"; accountId: number; userId: number | null };

export interface AccessChangesPort {
  /** Takes a change over into every grant that it concerns. May be told twice. */
  apply(change: AccessChange): Promise<void>;
}
