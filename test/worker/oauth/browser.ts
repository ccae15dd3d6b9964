/** The whole Worker with a stand-in port for GitHub, and browsers that keep cookies. */
import { createExecutionContext, env } from "cloudflare:test";
import { hashOf } from "../../../worker/src/grants/secrets.ts";
import worker from "../../../worker/src/index.ts";
import type { GitHubAccess } from "../../../worker/src/ports.ts";
import { type FakeGitHub, MONA } from "../fake-github.ts";

export const ORIGIN = "https://hooks.example";
export const POLL = "urn:ietf:params:oauth:grant-type:web_authorization_poll";
export const VERIFIER = "verifier-".padEnd(43, "v");
export const CHALLENGE = hashOf(VERIFIER);
export const REDIRECT = "https://client.example/cb";

const DEPLOYED = {
  ...env,
  LOCAL_MODE: "0",
  LOCAL_TOKEN: "",
  PUBLIC_URL: ORIGIN,
  GITHUB_CLIENT_ID: "Iv1.x",
  GITHUB_CLIENT_SECRET: "s3cret",
};

/** A Worker of its own: what it remembers of requests starts empty. */
export function newWorker(vars: Record<string, string> = {}) {
  const environment = { ...DEPLOYED, ...vars } as unknown as Env;
  return (path: string, init: RequestInit = {}) => {
    const request = new Request(new URL(path, vars.PUBLIC_URL ?? ORIGIN), { redirect: "manual", ...init });
    return worker.fetch(request as never, environment, createExecutionContext());
  };
}

export type Fetch = ReturnType<typeof newWorker>;

/** A browser: its cookies, and the forms that it has in front of it. */
export class Browser {
  readonly cookies = new Map<string, string>();
  readonly #fetch: Fetch;
  readonly #address: string;

  constructor(fetch: Fetch, address = "192.0.2.1") {
    this.#fetch = fetch;
    this.#address = address;
  }

  async get(path: string): Promise<Response> {
    return this.#send(path, {});
  }

  async post(path: string, fields: Record<string, string>, headers: Record<string, string> = {}): Promise<Response> {
    return this.#send(path, {
      method: "POST",
      body: new URLSearchParams(fields),
      headers: { Origin: ORIGIN, ...headers },
    });
  }

  async #send(path: string, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set("CF-Connecting-IP", this.#address);
    headers.set("Cookie", [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; "));
    const response = await this.#fetch(path, { ...init, headers });
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      this.cookies.set(name!, value!);
    }
    return response;
  }

  /** Opens an authorization request; gives the visit that the consent page's form names. */
  async open(query: Record<string, string>): Promise<{ page: string; transaction: string; response: Response }> {
    const response = await this.get(`/oauth/authorize?${new URLSearchParams(query)}`);
    const page = await response.text();
    const transaction = /name="transaction" value="([^"]+)"/.exec(page)?.[1] ?? "";
    return { page, transaction, response };
  }

  approve(transaction: string): Promise<Response> {
    return this.post("/oauth/consent", { transaction, decision: "approve" });
  }

  /** The way back from GitHub, for somebody. */
  callback(transaction: string, github: FakeGitHub, access: GitHubAccess = MONA): Promise<Response> {
    return this.get(`/oauth/callback?${new URLSearchParams({ code: github.code(access), state: transaction })}`);
  }
}

export async function register(fetch: Fetch, metadata: object = { redirect_uris: [REDIRECT], client_name: "Client" }) {
  const response = await fetch("/oauth/register", { method: "POST", body: JSON.stringify(metadata) });
  const body = (await response.json()) as Record<string, unknown> & { client_id: string };
  return { status: response.status, body, clientId: body.client_id };
}

export const codeQuery = (clientId: string, change: Record<string, string> = {}) => ({
  response_type: "code",
  client_id: clientId,
  redirect_uri: REDIRECT,
  code_challenge: CHALLENGE,
  code_challenge_method: "S256",
  state: "client-state",
  ...change,
});

export const pollQuery = (clientId: string, state: string) => ({
  client_id: clientId,
  state,
  code_challenge: CHALLENGE,
  code_challenge_method: "S256",
});

export interface TokenAnswer {
  status: number;
  headers: Headers;
  body: Record<string, string> & { access_token: string; refresh_token: string };
}

export async function token(fetch: Fetch, fields: Record<string, string>, address = "192.0.2.9"): Promise<TokenAnswer> {
  const response = await fetch("/oauth/token", {
    method: "POST",
    body: new URLSearchParams(fields),
    headers: { "CF-Connecting-IP": address },
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

/** Signs in through the browser; gives the query of the client's redirect. */
export async function authorize(
  browser: Browser,
  github: FakeGitHub,
  query: Record<string, string>,
  access: GitHubAccess = MONA,
): Promise<URLSearchParams> {
  const { transaction } = await browser.open(query);
  await browser.approve(transaction);
  const back = await browser.callback(transaction, github, access);
  return new URL(back.headers.get("Location")!).searchParams;
}

export const codeForm = (clientId: string, code: string, change: Record<string, string> = {}) => ({
  grant_type: "authorization_code",
  client_id: clientId,
  code,
  code_verifier: VERIFIER,
  redirect_uri: REDIRECT,
  ...change,
});

export const refreshForm = (clientId: string, refreshToken: string, change: Record<string, string> = {}) => ({
  grant_type: "refresh_token",
  client_id: clientId,
  refresh_token: refreshToken,
  ...change,
});
