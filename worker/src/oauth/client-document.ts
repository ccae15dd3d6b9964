/**
 * Client ID metadata documents (draft-ietf-oauth-client-id-metadata-document): a client id that is an https URL, at
 * which the client says who it is.
 *
 * A stranger chooses what is fetched, so: no address and no name of a private network, no redirect, little time, few
 * bytes. A public name that resolves to a private address gets nowhere from Cloudflare's network, and elsewhere would
 * need a certificate for that name.
 */
import { parseAddress } from "../ip-range.ts";
import { readBody } from "../payload/body.ts";
import { type ClientMetadata, readMetadata } from "./registration.ts";

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 64 * 1024;

/** Names that don't leave a machine or a local network (RFC 6761, RFC 6762, RFC 8375). */
const LOCAL_NAMES = /(^|\.)(localhost|local|internal|intranet|lan|home|corp|test|invalid|home\.arpa)\.?$/;

export type DocumentResult = { ok: true; metadata: ClientMetadata } | { ok: false; problem: string };

/** Whether a client id asks for its metadata document. */
export function isDocumentUrl(clientId: string): boolean {
  return clientId.startsWith("https://");
}

/** Why a URL is not fetched; null when it may be. */
export function documentUrlProblem(clientId: string): string | null {
  const url = URL.parse(clientId);
  if (url === null || url.protocol !== "https:") return "is not an https URL";
  // Byte for byte: whatever would be normalised (dot segments, upper case, a default port) is another client id.
  if (url.href !== clientId) return "is not written the way URLs are normalised";
  if (url.username || url.password || clientId.includes("#")) return "has a user name, password or fragment";
  if (url.pathname === "/") return "has no path";
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  if (parseAddress(host) !== null || url.hostname.startsWith("[")) return "has an IP address for a host name";
  if (!host.includes(".") || LOCAL_NAMES.test(host)) return "has the name of a local network";
  return null;
}

/** Fetches and checks the document of a client. */
export async function fetchClientDocument(clientId: string): Promise<DocumentResult> {
  const urlProblem = documentUrlProblem(clientId);
  if (urlProblem) return { ok: false, problem: `The client id ${urlProblem}.` };
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const response = await fetch(clientId, { headers: { Accept: "application/json" }, redirect: "manual", signal });
    if (response.status !== 200) {
      await response.body?.cancel();
      return { ok: false, problem: `The client's metadata document was answered with status ${response.status}.` };
    }
    const text = await readText(response, signal);
    if (text === null) return { ok: false, problem: "The client's metadata document is too large." };
    return checkDocument(clientId, JSON.parse(text));
  } catch (error) {
    const what = error instanceof SyntaxError ? "is not JSON" : "could not be read in time";
    return { ok: false, problem: `The client's metadata document ${what}.` };
  }
}

/** The draft's own rules; the rest is what every client's metadata has to be. */
function checkDocument(clientId: string, json: unknown): DocumentResult {
  if (typeof json !== "object" || json === null || !("client_id" in json) || json.client_id !== clientId) {
    return { ok: false, problem: "The client's metadata document names another client_id." };
  }
  if ("client_secret" in json) return { ok: false, problem: "The client's metadata document holds a secret." };
  const read = readMetadata(json, false);
  if (read.ok) return read;
  const { refusal } = read;
  return { ok: false, problem: "description" in refusal ? refusal.description : "The metadata document is not valid." };
}

/** The body as text, null beyond the limit; rejects when the time is over. */
async function readText(response: Response, signal: AbortSignal): Promise<string | null> {
  const late = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
  });
  const body = await Promise.race([readBody(response, MAX_BYTES), late]);
  if ("bytes" in body) return new TextDecoder().decode(body.bytes);
  if (body.rejection.kind === "too-large") return null;
  throw new Error(body.rejection.reason);
}
