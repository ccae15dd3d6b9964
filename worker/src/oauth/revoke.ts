/** `POST /oauth/revoke` (RFC 7009). A token that is unknown is as revoked as can be: 200. */
import { isLimited, type OAuthDeps } from "./deps.ts";
import { readClientForm } from "./form.ts";
import { refusalResponse } from "./refusal.ts";

export async function revoke(request: Request, deps: OAuthDeps): Promise<Response> {
  if (request.method !== "POST") return refusalResponse({ kind: "method", allow: "POST" });
  if (isLimited(deps, "revoke", request)) return refusalResponse({ kind: "rate" });
  const form = await readClientForm(request, deps);
  if (!form.ok) return refusalResponse(form.refusal);
  const { token } = form.values;
  if (token === undefined) return refusalResponse({ kind: "missing-parameter", name: "token" });
  if (!(await deps.oauth.revoke(token, form.client.clientId))) {
    return refusalResponse({ kind: "invalid-grant", description: "The token was issued to another client." });
  }
  return new Response(null, { status: 200, headers: { "Cache-Control": "no-store" } });
}
