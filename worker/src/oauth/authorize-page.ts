/** `GET /oauth/authorize`: an authorization request, put before a person. */
import type { ClientRecord } from "../grants/records.ts";
import { consentPage } from "../pages/consent.ts";
import { problemPage } from "../pages/problems.ts";
import { type Authorization, type AuthorizationRequest, readAuthorization } from "./authorize.ts";
import { isDocumentUrl } from "./client-document.ts";
import { clientForAuthorization } from "./clients.ts";
import { visitCookie } from "./cookies.ts";
import { addressOf, isLimited, isLocal, type OAuthDeps } from "./deps.ts";
import { single } from "./parameters.ts";
import { receiverName, withParameters } from "./redirect-uri.ts";
import { redirect } from "./respond.ts";
import { shortCode } from "./short-code.ts";

export async function authorizePage(request: Request, deps: OAuthDeps): Promise<Response> {
  const { config, oauth } = deps;
  if (isLimited(deps, "page", request)) return problemPage("rate", undefined, { "Retry-After": "60" });
  if (!isLocal(deps, request) && config.githubClientId === null) return problemPage("not-configured");
  const parameters = single(new URL(request.url).searchParams);
  if (parameters === null) return problemPage("repeated-parameter");
  const { client_id: clientId } = parameters;
  if (clientId === undefined) return problemPage("incomplete-poll");
  const found = await clientForAuthorization(oauth, clientId, Date.now());
  if (!found.ok) return found.problem ? problemPage("client-document", found.problem) : problemPage("unknown-client");

  const authorization = readAuthorization(parameters, found.client, config.publicUrl);
  if (authorization.kind !== "ok") return refused(authorization, config.publicUrl);
  return askConsent(request, deps, found.client, authorization.request);
}

function refused(authorization: Exclude<Authorization, { kind: "ok" }>, iss: string): Response {
  if (authorization.kind === "page") return problemPage(authorization.problem);
  const { redirectUri, state, error, description } = authorization;
  return redirect(withParameters(redirectUri, { error, error_description: description, state, iss }));
}

async function askConsent(
  request: Request,
  deps: OAuthDeps,
  client: ClientRecord,
  { target, ...asked }: AuthorizationRequest,
): Promise<Response> {
  const { config, oauth } = deps;
  const { clientId } = client;
  const clientName = client.name ?? "An unnamed program";
  const begun = await oauth.begin({ clientId, clientName, target, ...asked });
  if (begun.outcome !== "ok") return problemPage(begun.outcome === "taken" ? "state-taken" : "state-over");
  const { transaction, cookie, polledFrom } = begun;
  return consentPage(
    {
      clientName,
      vouchedBy: isDocumentUrl(clientId) ? new URL(clientId).host : null,
      receiver:
        target.type === "code"
          ? { kind: "redirect", host: receiverName(target.redirectUri) }
          : {
              kind: "poll",
              shortCode: shortCode(target.state, target.challenge),
              elsewhere: polledFrom !== null && polledFrom !== addressOf(request),
            },
      scopes: asked.scopes,
      transaction,
      local: isLocal(deps, request),
      githubHost: config.githubHost,
    },
    { "Set-Cookie": visitCookie(config.publicUrl, transaction, cookie) },
  );
}
