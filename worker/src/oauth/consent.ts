/** `POST /oauth/consent` and `GET /oauth/callback`: a person's answer, and their way back from GitHub. */
import { problemPage } from "../pages/problems.ts";
import { readVisitCookie } from "./cookies.ts";
import { isLimited, isLocal, type OAuthDeps } from "./deps.ts";
import { readForm } from "./form.ts";
import { single } from "./parameters.ts";
import { withParameters } from "./redirect-uri.ts";
import { ended, redirect, visitRefused } from "./respond.ts";

export async function consent(request: Request, deps: OAuthDeps): Promise<Response> {
  const { config, oauth } = deps;
  if (isLimited(deps, "page", request)) return problemPage("rate", undefined, { "Retry-After": "60" });
  if (isForeignForm(request, config.publicUrl)) return problemPage("foreign-form");
  const form = await readForm(request);
  const transaction = form.ok ? form.values.transaction : undefined;
  if (!form.ok || transaction === undefined) return problemPage("unknown-visit");
  const visit = { transaction, cookie: readVisitCookie(config.publicUrl, request, transaction) };
  const result = await oauth.consent(visit, form.values.decision === "approve", isLocal(deps, request));
  switch (result.outcome) {
    case "github":
      return redirect(githubUrl(deps, transaction));
    case "done":
      return ended(result.result, config.publicUrl);
    case "unknown":
    case "other-browser":
    case "not-approved":
      return visitRefused({ outcome: result.outcome });
  }
}

export async function callback(request: Request, deps: OAuthDeps): Promise<Response> {
  const { config, oauth } = deps;
  if (isLimited(deps, "page", request)) return problemPage("rate", undefined, { "Retry-After": "60" });
  const parameters = single(new URL(request.url).searchParams);
  if (parameters === null) return problemPage("repeated-parameter");
  const { state: transaction, code } = parameters;
  if (transaction === undefined) return problemPage("unknown-visit");
  const visit = { transaction, cookie: readVisitCookie(config.publicUrl, request, transaction) };
  const answer = parameters.error === undefined && code !== undefined ? code : null;
  const result = await oauth.callback(visit, answer, callbackUrl(config.publicUrl));
  return result.outcome === "done" ? ended(result.result, config.publicUrl) : visitRefused(result);
}

/** Where a person signs in at GitHub, for a visit that was approved. */
export function githubUrl({ config }: OAuthDeps, transaction: string): string {
  return withParameters(`${config.githubUrl}/login/oauth/authorize`, {
    client_id: config.githubClientId,
    redirect_uri: callbackUrl(config.publicUrl),
    state: transaction,
    // Whoever approves should see as whom.
    prompt: "select_account",
  });
}

function callbackUrl(publicUrl: string): string {
  return `${publicUrl}/oauth/callback`;
}

/** Whether a browser says that a form was sent by a page of another site. The cookies say so, too; this says it first. */
export function isForeignForm(request: Request, publicUrl: string): boolean {
  const origin = request.headers.get("Origin");
  return origin !== null && origin !== publicUrl && origin !== new URL(request.url).origin;
}
