/**
 * The two cookies of sign-in: one for each visit to the consent page, one for the page of grants. `__Host-` keeps other
 * hosts of the domain from setting them (RFC 6265bis §4.1.3.2); on loopback over http browsers take neither that nor
 * `Secure`. Lax, since the way back from GitHub is a navigation from another site.
 */
import { parse, serialize } from "hono/utils/cookie";
import { hashOf } from "../grants/secrets.ts";

const MAX_AGE_SECONDS = 600;

/** Sets the cookie that binds a visit to this browser. */
export function visitCookie(publicUrl: string, transaction: string, value: string): string {
  return cookie(publicUrl, visitName(transaction), value);
}

/** This browser's cookie of a visit; empty when it has none. */
export function readVisitCookie(publicUrl: string, request: Request, transaction: string): string {
  return read(publicUrl, request, visitName(transaction));
}

export function sessionCookie(publicUrl: string, session: string): string {
  return cookie(publicUrl, "ghwm_grants", session);
}

export function readSessionCookie(publicUrl: string, request: Request): string {
  return read(publicUrl, request, "ghwm_grants");
}

/** A name of its own for each visit, so that two tabs don't disturb one another. */
function visitName(transaction: string): string {
  return `ghwm_visit_${hashOf(transaction).slice(0, 12)}`;
}

function cookie(publicUrl: string, name: string, value: string): string {
  const secure = publicUrl.startsWith("https:");
  const options = { path: "/", httpOnly: true, sameSite: "Lax", secure, maxAge: MAX_AGE_SECONDS } as const;
  return serialize(prefix(publicUrl) + name, value, options);
}

function read(publicUrl: string, request: Request, name: string): string {
  return parse(request.headers.get("Cookie") ?? "")[prefix(publicUrl) + name] ?? "";
}

function prefix(publicUrl: string): string {
  return publicUrl.startsWith("https:") ? "__Host-" : "";
}
