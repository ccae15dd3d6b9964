/** `POST /oauth/register` (RFC 7591): public clients only, whatever kind they ask to be. */
import { randomBytes } from "node:crypto";
import { LIFETIMES } from "../grants/records.ts";
import { readBody } from "../payload/body.ts";
import { isLimited, type OAuthDeps } from "./deps.ts";
import { type Refusal, refusalResponse } from "./refusal.ts";
import { readMetadata } from "./registration.ts";

const MAX_BODY_BYTES = 64 * 1024;

export async function register(request: Request, deps: OAuthDeps): Promise<Response> {
  if (request.method !== "POST") return refusalResponse({ kind: "method", allow: "POST" });
  if (isLimited(deps, "register", request)) return refusalResponse({ kind: "rate" });
  const json = await readJson(request);
  if ("refusal" in json) return refusalResponse(json.refusal);
  const read = readMetadata(json.value, true);
  if (!read.ok) return refusalResponse(read.refusal);

  const { name, redirectUris, grantTypes, echo } = read.metadata;
  const clientId = `ghwm_client_${randomBytes(16).toString("base64url")}`;
  const now = Date.now();
  const times = { readAt: now, expiresAt: now + LIFETIMES.client };
  await deps.oauth.putClient({ clientId, kind: "registered", name, redirectUris, grantTypes, ...times });
  return Response.json(
    {
      ...echo,
      client_id: clientId,
      client_id_issued_at: Math.floor(now / 1000),
      ...(name && { client_name: name }),
      redirect_uris: redirectUris,
      grant_types: grantTypes,
      response_types: grantTypes.includes("authorization_code") ? ["code"] : [],
      token_endpoint_auth_method: "none",
    },
    { status: 201, headers: { "Cache-Control": "no-store", Pragma: "no-cache" } },
  );
}

async function readJson(request: Request): Promise<{ value: unknown } | { refusal: Refusal }> {
  const body = await readBody(request, MAX_BODY_BYTES);
  if ("rejection" in body) return { refusal: { kind: "too-large", limit: MAX_BODY_BYTES } };
  try {
    return { value: JSON.parse(new TextDecoder().decode(body.bytes)) };
  } catch {
    return { refusal: { kind: "client-metadata", description: "The body is not JSON." } };
  }
}
