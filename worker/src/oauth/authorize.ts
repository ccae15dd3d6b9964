/**
 * What an authorization request asks for, as gates over its parameters. Until client and redirect URI are known to
 * belong together the person is told by a page; from then on the client is told, by its redirect (RFC 6749 §4.1.2.1).
 */
import type { ClientRecord } from "../grants/records.ts";
import { POLL_GRANT } from "./metadata.ts";
import { acceptedResource, grantedScopes, isChallenge } from "./parameters.ts";
import { isRegistered } from "./redirect-uri.ts";

/** An authorization request that may be put before a person. */
export interface AuthorizationRequest {
  target: { type: "code"; redirectUri: string; challenge: string } | { type: "poll"; state: string; challenge: string };
  scopes: string[];
  resource: string | null;
  clientState: string | null;
}

export type Authorization =
  | { kind: "ok"; request: AuthorizationRequest }
  /** For the person: nothing that the request says about where to go can be trusted. */
  | { kind: "page"; problem: PageProblem }
  | { kind: "redirect"; redirectUri: string; state: string | null; error: string; description: string };

export type PageProblem = "redirect-uri" | "no-redirect-uri" | "incomplete-poll" | "poll-target";

/** Longer than any client's state; GitHub's own limit on a URL is near 8 KB. */
export const MAX_STATE = 4_000;

/** Reads the request of a client that is known. */
export function readAuthorization(
  parameters: Readonly<Record<string, string>>,
  client: Pick<ClientRecord, "redirectUris" | "grantTypes">,
  publicUrl: string,
): Authorization {
  const isPoll = parameters.response_type === undefined && parameters.redirect_uri === undefined;
  return isPoll ? readPoll(parameters, client, publicUrl) : readCode(parameters, client, publicUrl);
}

function readPoll(
  {
    state,
    code_challenge: challenge,
    code_challenge_method: method,
    scope,
    resource: asked,
  }: Readonly<Record<string, string>>,
  client: Pick<ClientRecord, "grantTypes">,
  publicUrl: string,
): Authorization {
  if (!client.grantTypes.includes(POLL_GRANT)) return { kind: "page", problem: "no-redirect-uri" };
  if (state === undefined || state.length > MAX_STATE || !isChallenge(challenge) || method !== "S256") {
    return { kind: "page", problem: "incomplete-poll" };
  }
  const resource = acceptedResource(asked, publicUrl);
  if (resource === undefined) return { kind: "page", problem: "poll-target" };
  const target = { type: "poll", state, challenge } as const;
  return { kind: "ok", request: { target, scopes: grantedScopes(scope), resource, clientState: null } };
}

function readCode(
  parameters: Readonly<Record<string, string>>,
  client: Pick<ClientRecord, "redirectUris">,
  publicUrl: string,
): Authorization {
  const only = client.redirectUris.length === 1 ? client.redirectUris[0] : undefined;
  const redirectUri = parameters.redirect_uri ?? only;
  if (redirectUri === undefined) return { kind: "page", problem: "no-redirect-uri" };
  if (!isRegistered(client.redirectUris, redirectUri)) return { kind: "page", problem: "redirect-uri" };

  const state = parameters.state ?? null;
  const refuse = (error: string, description: string): Authorization => ({
    kind: "redirect",
    redirectUri,
    state: state !== null && state.length <= MAX_STATE ? state : null,
    error,
    description,
  });
  if (state !== null && state.length > MAX_STATE) return refuse("invalid_request", "state is too long");
  if (parameters.response_type === undefined) return refuse("invalid_request", "response_type is missing");
  if (parameters.response_type !== "code") return refuse("unsupported_response_type", "response_type must be code");
  if (parameters.response_mode !== undefined && parameters.response_mode !== "query") {
    return refuse("invalid_request", "response_mode must be query");
  }
  const { code_challenge: challenge, code_challenge_method: method } = parameters;
  if (challenge === undefined) return refuse("invalid_request", "code_challenge is missing (PKCE, RFC 7636)");
  if (method !== "S256") return refuse("invalid_request", "code_challenge_method must be S256");
  if (!isChallenge(challenge)) return refuse("invalid_request", "code_challenge must be the base64url of a SHA-256");
  const resource = acceptedResource(parameters.resource, publicUrl);
  if (resource === undefined) return refuse("invalid_target", "that resource is not served here");
  const target = { type: "code", redirectUri, challenge } as const;
  return { kind: "ok", request: { target, scopes: grantedScopes(parameters.scope), resource, clientState: state } };
}
