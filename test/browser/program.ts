/** Programs that send a person to sign in: one that waits at a redirect URI, and one that polls. */
import { createHash, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export const POLL_GRANT = "urn:ietf:params:oauth:grant-type:web_authorization_poll";

export interface CodeFlow {
  link: string;
  /** Exchanges the code that came to the redirect URI. */
  redeem(code: string): Promise<Record<string, unknown>>;
}

/** A program that waits at this redirect URI. */
export async function codeFlow(origin: string, redirectUri: string, name = "Example program"): Promise<CodeFlow> {
  const client_id = await register(origin, { client_name: name, redirect_uris: [redirectUri] });
  const { verifier, challenge } = pkce();
  return {
    link: link(origin, {
      client_id,
      redirect_uri: redirectUri,
      response_type: "code",
      state: "state-of-the-program",
      code_challenge: challenge,
      code_challenge_method: "S256",
    }),
    redeem: (code) => token(origin, { grant_type: "authorization_code", client_id, code, code_verifier: verifier }),
  };
}

/** The link of a program that waits at this redirect URI. */
export async function codeLink(origin: string, redirectUri: string, name?: string): Promise<string> {
  return (await codeFlow(origin, redirectUri, name)).link;
}

export interface PollFlow {
  link: string;
  /** As the program shows it. */
  shortCode: string;
  /** Asks once whether somebody has approved. */
  poll(): Promise<Record<string, unknown>>;
}

/** A program that has no address: it polls. */
export async function pollFlow(origin: string, name = "Example bridge"): Promise<PollFlow> {
  const client_id = await register(origin, { client_name: name, redirect_uris: [], grant_types: [POLL_GRANT] });
  const { verifier, challenge } = pkce();
  const state = randomBytes(32).toString("base64url");
  return {
    link: link(origin, { client_id, state, code_challenge: challenge, code_challenge_method: "S256" }),
    shortCode: shortCodeOf(state, challenge),
    poll: () => token(origin, { grant_type: POLL_GRANT, client_id, state, code_verifier: verifier }),
  };
}

/** A server on loopback that serves one page and notes what is asked of it. */
export async function loopback(page = "<!doctype html><title>Received</title><h1>Received</h1>") {
  const asked: URL[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    if (url.pathname !== "/favicon.ico") asked.push(url);
    response.writeHead(200, { "Content-Type": "text/html" }).end(page);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, close };
}

async function register(origin: string, metadata: Record<string, unknown>): Promise<string> {
  const headers = { "Content-Type": "application/json" };
  const answer = await fetch(`${origin}/oauth/register`, { method: "POST", headers, body: JSON.stringify(metadata) });
  if (answer.status !== 201) throw new Error(`not registered: ${answer.status} ${await answer.text()}`);
  return ((await answer.json()) as { client_id: string }).client_id;
}

async function token(origin: string, form: Record<string, string>): Promise<Record<string, unknown>> {
  const answer = await fetch(`${origin}/oauth/token`, { method: "POST", body: new URLSearchParams(form) });
  return (await answer.json()) as Record<string, unknown>;
}

function link(origin: string, parameters: Record<string, string>): string {
  return `${origin}/oauth/authorize?${new URLSearchParams(parameters)}`;
}

function pkce() {
  const verifier = randomBytes(32).toString("base64url");
  return { verifier, challenge: createHash("sha256").update(verifier).digest("base64url") };
}

/** Of the first 40 bits, five each; Crockford's alphabet has no I, L, O and U. */
function shortCodeOf(state: string, challenge: string): string {
  const hash = createHash("sha256").update(`web-auth-code:${state}.${challenge}`).digest("hex");
  const bits = BigInt(`0x${hash.slice(0, 10)}`)
    .toString(2)
    .padStart(40, "0");
  const characters = bits.match(/.{5}/g)!.map((five) => "0123456789ABCDEFGHJKMNPQRSTVWXYZ"[Number.parseInt(five, 2)]);
  return `${characters.slice(0, 4).join("")}-${characters.slice(4).join("")}`;
}
