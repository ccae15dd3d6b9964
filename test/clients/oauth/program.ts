/** A program that signs somebody in with a code and PKCE, in as few lines as the protocol allows. */
import { createHash, randomBytes } from "node:crypto";
import type { Person, SeenPage } from "../../github/person.ts";

export interface Tokens {
  access_token: string;
  refresh_token: string;
  expires_in: number;
  scope: string;
}

export interface TokenAnswer {
  status: number;
  retryAfter: string | null;
  body: Tokens & { error?: string; error_description?: string };
}

/** Nothing listens there; see `atProgram`. */
const REDIRECT = "http://127.0.0.1:49152/callback";

/** For a Person: the address at which the program waits is not loaded. */
export const atProgram = (url: URL) => url.href.startsWith(REDIRECT);

export class Program {
  readonly #origin: string;
  readonly clientId: string;
  readonly verifier = randomBytes(32).toString("base64url");
  readonly state = randomBytes(16).toString("base64url");
  /** Every secret that it was given or made. */
  readonly secrets: string[] = [this.verifier];
  tokens: Tokens | null = null;

  static async register(origin: string): Promise<Program> {
    const answer = await fetch(`${origin}/oauth/register`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ client_name: "Program", redirect_uris: [REDIRECT] }),
    });
    return new Program(origin, ((await answer.json()) as { client_id: string }).client_id);
  }

  constructor(origin: string, clientId: string) {
    this.#origin = origin;
    this.clientId = clientId;
  }

  /** Where the person goes to sign in. */
  get link(): URL {
    const challenge = createHash("sha256").update(this.verifier).digest("base64url");
    const link = new URL(`${this.#origin}/oauth/authorize`);
    link.search = new URLSearchParams({
      client_id: this.clientId,
      redirect_uri: REDIRECT,
      response_type: "code",
      state: this.state,
      code_challenge: challenge,
      code_challenge_method: "S256",
    }).toString();
    return link;
  }

  /** Has somebody sign in, and redeems the code that comes back. */
  async signIn(person: Person): Promise<Tokens> {
    return this.redeem(await person.signIn(this.link));
  }

  async redeem({ url, status, text }: SeenPage): Promise<Tokens> {
    const code = url.searchParams.get("code");
    if (!atProgram(url) || !code) throw new Error(`no code came back: ${url} (${status}) ${text.slice(0, 300)}`);
    this.secrets.push(code);
    const grant = { grant_type: "authorization_code", code, redirect_uri: REDIRECT, code_verifier: this.verifier };
    return this.#keep(await this.#token(grant));
  }

  /** Takes the new tokens over where there are any. */
  async refresh(): Promise<TokenAnswer> {
    const grant = { grant_type: "refresh_token", refresh_token: this.tokens?.refresh_token ?? "" };
    const answer = await this.#token(grant);
    if (answer.status === 200) this.#keep(answer);
    return answer;
  }

  async get(path: string): Promise<{ status: number; body: unknown }> {
    const headers = { Authorization: `Bearer ${this.tokens?.access_token}` };
    const answer = await fetch(this.#origin + path, { headers });
    return { status: answer.status, body: await answer.json().catch(() => null) };
  }

  /** Repositories of the pending events that its person sees. */
  async repositories(): Promise<string[]> {
    const { status, body } = await this.get("/api/pending-events?limit=100");
    if (status !== 200) throw new Error(`pending-events: ${status} ${JSON.stringify(body)}`);
    return (body as { repo: string }[]).map(({ repo }) => repo).sort();
  }

  async #token(grant: Record<string, string>): Promise<TokenAnswer> {
    const form = new URLSearchParams({ client_id: this.clientId, ...grant });
    const answer = await fetch(`${this.#origin}/oauth/token`, { method: "POST", body: form });
    const body = (await answer.json()) as TokenAnswer["body"];
    return { status: answer.status, retryAfter: answer.headers.get("retry-after"), body };
  }

  #keep({ status, body }: TokenAnswer): Tokens {
    if (status !== 200) throw new Error(`no tokens: ${status} ${JSON.stringify(body)}`);
    this.tokens = body;
    this.secrets.push(body.access_token, body.refresh_token);
    return body;
  }
}
