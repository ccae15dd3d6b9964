/** `POST /oauth/token` (RFC 6749 §3.2): a code, a refresh token or an approved poll flow for a bearer pair. */
import type { TokenPair } from "../grants/grants.ts";
import type { CodeResult, PollResult } from "../grants/redeem.ts";
import type { RefreshResult } from "../grants/refresh.ts";
import { hashOf } from "../grants/secrets.ts";
import { MAX_STATE } from "./authorize.ts";
import { addressOf, isLimited, type OAuthDeps } from "./deps.ts";
import { type ClientForm, readClientForm } from "./form.ts";
import { POLL_GRANT } from "./metadata.ts";
import { acceptedResource, isVerifier, knownScopes } from "./parameters.ts";
import { type Refusal, refusalResponse } from "./refusal.ts";

type Exchange = { pair: TokenPair } | Refusal;

export async function token(request: Request, deps: OAuthDeps): Promise<Response> {
  if (request.method !== "POST") return refusalResponse({ kind: "method", allow: "POST" });
  if (isLimited(deps, "token", request)) return refusalResponse({ kind: "rate" });
  const form = await readClientForm(request, deps);
  if (!form.ok) return refusalResponse(form.refusal);
  const exchanged = await exchange(request, form, deps);
  if ("kind" in exchanged) return refusalResponse(exchanged);
  const { accessToken, refreshToken, accessExpiresAt, scopes } = exchanged.pair;
  return Response.json(
    {
      access_token: accessToken,
      token_type: "Bearer",
      expires_in: Math.max(1, Math.floor((accessExpiresAt - Date.now()) / 1000)),
      refresh_token: refreshToken,
      scope: scopes.join(" "),
    },
    { headers: { "Cache-Control": "no-store", Pragma: "no-cache" } },
  );
}

async function exchange(request: Request, { client, values }: ClientForm, deps: OAuthDeps): Promise<Exchange> {
  const { clientId, grantTypes } = client;
  const resource = acceptedResource(values.resource, deps.config.publicUrl);
  if (resource === undefined) return { kind: "invalid-target" };
  switch (values.grant_type) {
    case undefined:
      return missing("grant_type");
    case "authorization_code": {
      const { code, code_verifier: verifier, redirect_uri: redirectUri = null } = values;
      if (code === undefined) return missing("code");
      if (verifier === undefined) return missing("code_verifier");
      if (!isVerifier(verifier)) return { kind: "malformed-verifier" };
      return codeExchange(await deps.oauth.redeemCode({ code, clientId, verifier, redirectUri, resource }));
    }
    case "refresh_token": {
      const { refresh_token: refreshToken, scope } = values;
      if (refreshToken === undefined) return missing("refresh_token");
      if (isLimited(deps, "refresh", request, hashOf(refreshToken))) return { kind: "rate" };
      const known = knownScopes(scope);
      const scopes = known.length > 0 ? known : null;
      return refreshExchange(await deps.oauth.refresh({ refreshToken, clientId, scopes }));
    }
    case POLL_GRANT: {
      const { state, code_verifier: verifier } = values;
      if (!grantTypes.includes(POLL_GRANT)) return { kind: "unauthorized-client" };
      if (state === undefined || state.length > MAX_STATE) return missing("state");
      if (verifier === undefined) return missing("code_verifier");
      if (!isVerifier(verifier)) return { kind: "malformed-verifier" };
      const clientName = client.name ?? clientId;
      const address = addressOf(request);
      return pollExchange(await deps.oauth.poll({ state, clientId, clientName, verifier, address }));
    }
    default:
      return { kind: "unsupported-grant-type" };
  }
}

function missing(name: string): Refusal {
  return { kind: "missing-parameter", name };
}

const CODE_REFUSALS: Readonly<Record<Extract<CodeResult, { reason: string }>["reason"], string>> = {
  unknown: "The code is unknown or older than a minute. Start the sign-in again.",
  client: "The code was issued to another client.",
  redirect: "redirect_uri is not the one that was authorized.",
  verifier: "code_verifier does not match the code_challenge.",
  revoked: "The user has revoked the authorization at GitHub. Sign in again.",
  reused: "The code was used before; what came of it has been revoked. Sign in again.",
};

function codeExchange(result: CodeResult): Exchange {
  return result.outcome === "ok" ? result : { kind: "invalid-grant", description: CODE_REFUSALS[result.reason] };
}

const REFRESH_REFUSALS: Readonly<Record<Extract<RefreshResult, { reason: string }>["reason"], string>> = {
  unknown: "The refresh token is unknown, expired or revoked. Sign in again.",
  client: "The refresh token was issued to another client.",
  replayed: "The refresh token was replaced, and its successor is in use; the grant has ended. Sign in again.",
  revoked: "GitHub no longer vouches for this user. Sign in again.",
};

function refreshExchange(result: RefreshResult): Exchange {
  switch (result.outcome) {
    case "ok":
      return result;
    case "invalid_grant":
      return { kind: "invalid-grant", description: REFRESH_REFUSALS[result.reason] };
    case "invalid_scope":
      return { kind: "invalid-scope" };
    case "unavailable": {
      const description = "GitHub can't be asked at the moment. The refresh token is still good: try again later.";
      return { kind: "unavailable", retryAfterSeconds: result.retryAfterSeconds, description };
    }
  }
}

function pollExchange(result: PollResult): Exchange {
  switch (result.outcome) {
    case "ok":
      return result;
    case "pending":
      return { kind: "authorization-pending" };
    case "slow_down":
      return { kind: "slow-down" };
    case "expired":
      return { kind: "expired-token" };
    case "denied":
      return { kind: "access-denied", description: `${result.reason} Start the sign-in again to retry.` };
    case "invalid_grant":
      return { kind: "invalid-grant", description: "This state belongs to another client or code_verifier." };
  }
}
