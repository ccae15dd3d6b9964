/** The form that programs send to the token and revocation endpoints, and the client that sends it. */
import type { ClientRecord } from "../grants/records.ts";
import { readBody } from "../payload/body.ts";
import type { OAuthDeps } from "./deps.ts";
import { single } from "./parameters.ts";
import type { Refusal } from "./refusal.ts";

const MAX_BODY_BYTES = 64 * 1024;
const FORM_TYPE = "application/x-www-form-urlencoded";

export interface ClientForm {
  client: ClientRecord;
  values: Readonly<Record<string, string>>;
}

/** The form's parameters, each once. */
export async function readForm(
  request: Request,
): Promise<{ ok: true; values: Readonly<Record<string, string>> } | { ok: false; refusal: Refusal }> {
  const type = request.headers.get("Content-Type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== FORM_TYPE) return { ok: false, refusal: { kind: "content-type", wanted: FORM_TYPE } };
  const body = await readBody(request, MAX_BODY_BYTES);
  if ("rejection" in body) return { ok: false, refusal: { kind: "too-large", limit: MAX_BODY_BYTES } };
  const values = single(new URLSearchParams(new TextDecoder().decode(body.bytes)));
  return values ? { ok: true, values } : { ok: false, refusal: { kind: "repeated-parameter" } };
}

/** The form of a client that is known. A public client names itself; a secret that it sends along means nothing. */
export async function readClientForm(
  request: Request,
  deps: OAuthDeps,
): Promise<({ ok: true } & ClientForm) | { ok: false; refusal: Refusal }> {
  const form = await readForm(request);
  if (!form.ok) return form;
  const basic = basicUser(request.headers.get("Authorization"));
  const clientId = form.values.client_id ?? basic;
  if (clientId === undefined) return { ok: false, refusal: { kind: "missing-parameter", name: "client_id" } };
  const client = await deps.oauth.client(clientId);
  if (client === null) return { ok: false, refusal: { kind: "unknown-client", basic: basic !== undefined } };
  return { ok: true, client, values: form.values };
}

/** The user name of HTTP Basic authentication, form-encoded in it (RFC 6749 §2.3.1). */
function basicUser(header: string | null): string | undefined {
  const encoded = /^Basic +([A-Za-z0-9+/]+=*)$/i.exec(header ?? "")?.[1];
  if (encoded === undefined) return undefined;
  try {
    return decodeURIComponent(atob(encoded).split(":")[0]!.replaceAll("+", " ")) || undefined;
  } catch {
    return undefined;
  }
}
