/**
 * Who is calling: the bearer check of `/mcp`, `/api` and `/events`.
 *
 * Tokens are told apart by their form, each kind with a check of its own; what no kind recognises is refused with a
 * challenge that tells a client where to sign in (RFC 6750 §3, RFC 9728 §5.1).
 */
import { createHash, timingSafeEqual } from "node:crypto";
import { parseAddress } from "../ip-range.ts";
import type { McpCaller, RegistryPort } from "../ports.ts";
import { type RateLimiter, rateKey } from "../rate-limit.ts";
import { OPERATOR_ACCOUNT, type Viewer } from "../viewer.ts";
import type { CheckedToken } from "./grants.ts";
import { DEFAULT_SCOPES } from "./scopes.ts";
import type { TokenCache } from "./token-cache.ts";

export { DEFAULT_SCOPES, READ_SCOPE, WRITE_SCOPE } from "./scopes.ts";

/** Requests a minute of one grant, in each isolate: hosted clients share addresses, so addresses don't count here. */
const GRANT_RATE = 1_200;
/** Tokens that are not valid, a minute, from one address. */
const INVALID_RATE = 600;

export interface BearerDeps {
  /** Origin under which clients reach the Worker. */
  publicUrl: string;
  /** Whether the request is served in local mode: then only its own tokens count, and else none of them. */
  local: boolean;
  /** The token of local mode's one viewer, for a request that is served in local mode; else null. */
  localToken: string | null;
  registry: Pick<RegistryPort, "accounts">;
  tokens: TokenCache;
  limiter: RateLimiter;
  /** Users who read the operator's store. */
  operatorIds: ReadonlySet<number>;
}

export type Authentication = { ok: true; caller: McpCaller } | { ok: false; response: Response };

/** Answers with the caller, or with the 401 (or 429) to send. */
export async function authenticate(request: Request, deps: BearerDeps): Promise<Authentication> {
  const token = bearerToken(request.headers);
  if (token === null) return { ok: false, response: unauthorized(deps.publicUrl, false) };
  if (deps.localToken !== null && sameToken(token, deps.localToken)) {
    return { ok: true, caller: { viewer: await localViewer(deps.registry), scopes: DEFAULT_SCOPES } };
  }
  const address = `invalid:${rateKey(parseAddress(request.headers.get("CF-Connecting-IP") ?? ""))}`;
  // Hosted clients share addresses: whoever guesses from one must not shut out those who have come before.
  if (!deps.tokens.hasSeen(token) && deps.limiter.exceeded(address, INVALID_RATE, Date.now())) {
    return { ok: false, response: tooMany() };
  }
  const checked = await accepted(token, deps);
  if (checked === null) {
    deps.limiter.charge(address, Date.now());
    return { ok: false, response: unauthorized(deps.publicUrl, true) };
  }
  const grant = `grant:${checked.grantId}`;
  if (deps.limiter.exceeded(grant, GRANT_RATE, Date.now())) return { ok: false, response: tooMany() };
  deps.limiter.charge(grant, Date.now());
  return { ok: true, caller: await callerOf(checked, deps) };
}

/**
 * Whom the token of a request that was let in speaks for now; null = nobody any more. For answers that outlast the
 * check: it counts against no rate.
 */
export async function recheck(request: Request, deps: Omit<BearerDeps, "limiter">): Promise<McpCaller | null> {
  const token = bearerToken(request.headers);
  if (token === null) return null;
  if (deps.localToken !== null && sameToken(token, deps.localToken)) {
    return { viewer: await localViewer(deps.registry), scopes: DEFAULT_SCOPES };
  }
  const checked = await accepted(token, deps);
  return checked && callerOf(checked, deps);
}

/** What a token stands for, if it is good for this request. */
async function accepted(
  token: string,
  { tokens, local, publicUrl }: Pick<BearerDeps, "tokens" | "local" | "publicUrl">,
): Promise<CheckedToken | null> {
  const checked = await tokens.check(token);
  return checked !== null && checked.local === local && isAudience(checked, publicUrl) ? checked : null;
}

async function callerOf(
  checked: CheckedToken,
  { registry, operatorIds }: Pick<BearerDeps, "registry" | "operatorIds">,
): Promise<McpCaller> {
  const viewer = checked.local ? await localViewer(registry) : viewerOf(checked, operatorIds);
  return { viewer, scopes: checked.scopes };
}

/** A token for a resource (RFC 8707) is good at that resource only. In local mode it has several names. */
function isAudience({ resource, local }: CheckedToken, publicUrl: string): boolean {
  return local || resource === null || resource === publicUrl;
}

function viewerOf({ userId, access }: CheckedToken, operatorIds: ReadonlySet<number>): Viewer {
  const accounts = access.map(({ repositories, ...account }) => ({
    ...account,
    repositories: repositories === "all" ? repositories : new Set(repositories),
  }));
  if (!operatorIds.has(userId)) return { userId, accounts };
  const operator = { accountId: OPERATOR_ACCOUNT, login: "operator", repositories: "all", orgOwner: true } as const;
  return { userId, accounts: [...accounts, operator] };
}

/** What a 403 says about the scope that was missing (RFC 6750 §3.1). */
export function insufficientScope(publicUrl: string): string {
  return [
    'Bearer realm="github-webhook-mcp"',
    'error="insufficient_scope"',
    `scope="${DEFAULT_SCOPES.join(" ")}"`,
    `resource_metadata="${resourceMetadataUrl(publicUrl)}"`,
  ].join(", ");
}

function tooMany(): Response {
  const message = "Too many requests. Wait a minute.";
  return Response.json({ error: "rate_limited", message }, { status: 429, headers: { "Retry-After": "60" } });
}

/** Where a client finds out how to sign in. */
export function resourceMetadataUrl(publicUrl: string): string {
  return `${publicUrl}/.well-known/oauth-protected-resource/mcp`;
}

/** The one token of a well-formed Authorization header (RFC 6750 §2.1), else null. */
function bearerToken(headers: Headers): string | null {
  return /^Bearer +([A-Za-z0-9\-._~+/]+=*)$/i.exec(headers.get("authorization")?.trim() ?? "")?.[1] ?? null;
}

function unauthorized(publicUrl: string, sent: boolean): Response {
  const challenge = [
    'Bearer realm="github-webhook-mcp"',
    `resource_metadata="${resourceMetadataUrl(publicUrl)}"`,
    `scope="${DEFAULT_SCOPES.join(" ")}"`,
    ...(sent ? ['error="invalid_token"', 'error_description="The access token is unknown or has expired"'] : []),
  ].join(", ");
  const message = sent ? "The access token is unknown or has expired: sign in again." : "A bearer token is required.";
  return Response.json(
    { error: sent ? "invalid_token" : "unauthorized", message },
    { status: 401, headers: { "WWW-Authenticate": challenge, "Cache-Control": "no-store" } },
  );
}

/** Compares digests, so that neither length nor content shows in the time it takes. */
function sameToken(a: string, b: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}

/** Local mode's viewer sees every account that the registry knows, and the operator's store. */
async function localViewer(registry: Pick<RegistryPort, "accounts">): Promise<Viewer> {
  const accounts = [...(await registry.accounts()), { id: OPERATOR_ACCOUNT, login: "operator" }];
  return {
    userId: 0,
    accounts: accounts.map(({ id, login }) => ({ accountId: id, login, repositories: "all", orgOwner: true })),
  };
}
