/**
 * `/oauth/grants`: a person's grants, and their end. Who looks is known by signing in at GitHub, for ten minutes; in
 * local mode there is one viewer.
 */
import { hashOf, isSecretOf } from "../grants/secrets.ts";
import { grantsPage } from "../pages/grants.ts";
import { problemPage } from "../pages/problems.ts";
import { githubUrl, isForeignForm } from "./consent.ts";
import { readSessionCookie, sessionCookie, visitCookie } from "./cookies.ts";
import { isLimited, isLocal, type OAuthDeps } from "./deps.ts";
import { readForm } from "./form.ts";
import { redirect } from "./respond.ts";

export async function showGrants(request: Request, deps: OAuthDeps): Promise<Response> {
  const { config, oauth } = deps;
  if (isLimited(deps, "page", request)) return problemPage("rate", undefined, { "Retry-After": "60" });
  const session = readSessionCookie(config.publicUrl, request);
  const known = await oauth.session(session);
  if (known !== null) return grantsPage(known.login, await oauth.grantsOf(known.userId), csrfOf(session));
  return isLocal(deps, request) ? openLocally(deps) : signIn(deps);
}

async function openLocally({ config, oauth }: OAuthDeps): Promise<Response> {
  const cookie = sessionCookie(config.publicUrl, await oauth.openLocalSession());
  return redirect(`${config.publicUrl}/oauth/grants`, { "Set-Cookie": cookie });
}

async function signIn(deps: OAuthDeps): Promise<Response> {
  const { config, oauth } = deps;
  if (config.githubClientId === null) return problemPage("not-configured");
  const nobody = { clientId: "", clientName: "", scopes: [], resource: null, clientState: null };
  const { transaction, cookie } = await oauth.begin({ ...nobody, target: { type: "grants" } });
  return redirect(githubUrl(deps, transaction), { "Set-Cookie": visitCookie(config.publicUrl, transaction, cookie) });
}

export async function endGrant(request: Request, deps: OAuthDeps): Promise<Response> {
  const { config, oauth } = deps;
  if (isLimited(deps, "page", request)) return problemPage("rate", undefined, { "Retry-After": "60" });
  if (isForeignForm(request, config.publicUrl)) return problemPage("foreign-form");
  const session = readSessionCookie(config.publicUrl, request);
  const known = await oauth.session(session);
  if (known === null) return problemPage("session-over");
  const form = await readForm(request);
  const { csrf = "", grant } = form.ok ? form.values : {};
  if (grant === undefined || !isSecretOf(hashOf(csrfOf(session)), csrf)) return problemPage("foreign-form");
  await oauth.endGrant(grant, known.userId);
  return redirect(`${config.publicUrl}/oauth/grants`);
}

/** What only a page of this session can know. */
function csrfOf(session: string): string {
  return hashOf(`csrf:${session}`);
}
