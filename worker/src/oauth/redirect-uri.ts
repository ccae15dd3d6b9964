/**
 * Redirect URIs: which may be registered, and which one asked for is a registered one.
 *
 * They match exactly, the port excepted on loopback (RFC 8252 §7.3, for the name `localhost` as well, which clients in
 * the field use), and are used as they came. Private-use schemes are accepted, with or without a dot: Cursor's has none.
 */

/** Schemes that run code, read files or start something else than the program that registered them. */
const FORBIDDEN_SCHEMES =
  /^(javascript|vbscript|data|file|filesystem|blob|about|view-source|wss?|ftps?|sftp|ssh|telnet|ldaps?|jar|intent|mailto|tel|sms|smb|nfs|res|resource|mk|mhtml|chrome|edge|opera|brave|ms-[a-z-]+|search-ms|shell|jndi|gopher|urn|cid|mid|[a-z-]*-extension)$/;

const LOOPBACK = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?((?:[/?].*)?)$/i;

/** What is wrong with a redirect URI that a client registers; null when nothing is. */
export function redirectUriProblem(uri: string): string | null {
  if (uri.length > 2_000) return "is longer than 2000 characters";
  if (!/^[\x21-\x7e]+$/.test(uri) || /[\\"<>^`{|}]/.test(uri)) return "has characters that a URI does not have";
  if (uri.includes("#")) return "has a fragment";
  const url = URL.parse(uri);
  if (url === null) return "is not an absolute URI";
  if (url.username || url.password) return "has a user name or password";
  const scheme = url.protocol.slice(0, -1);
  if (scheme === "https") return null;
  if (scheme === "http") return LOOPBACK.test(uri) ? null : "must be https, unless it is on loopback";
  return FORBIDDEN_SCHEMES.test(scheme) ? `has a scheme that is not accepted (${scheme})` : null;
}

/** Whether a redirect URI that is asked for is one of the registered ones. */
export function isRegistered(registered: readonly string[], asked: string): boolean {
  if (redirectUriProblem(asked) !== null) return false;
  const [, host, rest] = LOOPBACK.exec(asked) ?? [];
  return registered.some((uri) => {
    if (uri === asked) return true;
    if (host === undefined) return false;
    const known = LOOPBACK.exec(uri);
    return known !== null && known[1]!.toLowerCase() === host.toLowerCase() && known[2] === rest;
  });
}

/** Who gets the answer, for people to read. */
export function receiverName(uri: string): string {
  const url = new URL(uri);
  if (/^https?:$/.test(url.protocol)) return url.host;
  return `${url.protocol}//${url.host} (a program on your machine)`;
}

/** A redirect URI with parameters added, otherwise as it is. */
export function withParameters(uri: string, parameters: Readonly<Record<string, string | null>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== null) query.append(name, value);
  return `${uri}${uri.includes("?") ? (/[?&]$/.test(uri) ? "" : "&") : "?"}${query}`;
}
