/**
 * Who is calling: the bearer check of `/mcp`, `/api` and `/events`.
 *
 * Tokens are told apart by their form, each kind with a check of its own; what no kind recognises is refused with a
 * challenge that tells a client where to sign in (RFC 6750 §3, RFC 9728 §5.1).
 */
import { createHash, timingSafeEqual } from "node:crypto";
import type { McpCaller, RegistryPort } from "../ports.ts";
import { OPERATOR_ACCOUNT, type Viewer } from "../viewer.ts";

export const READ_SCOPE = "events:read";
/** Marks events as processed. */
export const WRITE_SCOPE = "events:write";
/** What a client is asked to ask for: marking must work. */
export const DEFAULT_SCOPES = [READ_SCOPE, WRITE_SCOPE] as const;

export interface BearerDeps {
  /** Origin under which clients reach the Worker. */
  publicUrl: string;
  /** The token of local mode's one viewer, for a request that is served in local mode; else null. */
  localToken: string | null;
  registry: Pick<RegistryPort, "accounts">;
}

export type Authentication = { ok: true; caller: McpCaller } | { ok: false; response: Response };

/** Answers with the caller, or with the 401 to send. */
export async function authenticate(request: Request, deps: BearerDeps): Promise<Authentication> {
  const token = bearerToken(request.headers);
  if (token !== null && deps.localToken !== null && sameToken(token, deps.localToken)) {
    return { ok: true, caller: { viewer: await localViewer(deps.registry), scopes: DEFAULT_SCOPES } };
  }
  return { ok: false, response: unauthorized(deps.publicUrl, token !== null) };
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
