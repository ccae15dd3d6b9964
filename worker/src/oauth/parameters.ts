/** What the parameters of OAuth requests mean here: scopes, resources, PKCE, and that none comes twice. */
import { DEFAULT_SCOPES, KNOWN_SCOPES } from "../grants/scopes.ts";

/** One value for each name; null where a name comes twice (RFC 6749 §3.1, §3.2). Empty counts as absent. */
export function single(parameters: URLSearchParams): Record<string, string> | null {
  const values: Record<string, string> = Object.create(null);
  for (const [name, value] of parameters) {
    // RFC 8707 §2 lets `resource` be repeated: each has to be ours, and all of ours are the same.
    const repeated = Object.hasOwn(values, name) && !(name === "resource" && values[name] === value);
    if (repeated) return null;
    if (value !== "") values[name] = value;
  }
  return values;
}

/** The scopes that a client gets for what it asked: unknown ones are dropped, and nothing means the default. */
export function grantedScopes(asked: string | undefined): string[] {
  const known = knownScopes(asked);
  return known.length > 0 ? known : [...DEFAULT_SCOPES];
}

/** Those of the scopes asked for that exist, each once. */
export function knownScopes(asked: string | undefined): string[] {
  const names = new Set((asked ?? "").split(" "));
  return KNOWN_SCOPES.filter((scope) => names.has(scope));
}

/**
 * The resource that a client names (RFC 8707), as it is stored: this Worker's origin, by which it is meant with and
 * without a slash, and with the path of its MCP endpoint. Undefined for any other; null when none is named.
 */
export function acceptedResource(asked: string | undefined, publicUrl: string): string | null | undefined {
  if (asked === undefined) return null;
  const url = URL.parse(asked);
  const ours =
    url !== null &&
    url.origin === publicUrl &&
    /^\/(mcp\/?)?$/.test(url.pathname) &&
    !url.search &&
    !asked.includes("#") &&
    !url.username &&
    !url.password;
  return ours ? publicUrl : undefined;
}

/** An S256 challenge: the base64url of 32 bytes (RFC 7636 §4.2). */
export function isChallenge(text: string | undefined): text is string {
  return text !== undefined && /^[A-Za-z0-9_-]{43}$/.test(text);
}

/** RFC 7636 §4.1. */
export function isVerifier(text: string | undefined): text is string {
  return text !== undefined && /^[A-Za-z0-9\-._~]{43,128}$/.test(text);
}
