/**
 * User tokens, as a GitHub App's are: emulate knows the login page, the code and the exchange; what it lacks is added
 * here (expiry, refresh tokens, revocation, a redirect URI that must be the authorized one).
 */
import { randomBytes } from "node:crypto";

export interface AppSettings {
  clientId: string;
  clientSecret: string;
  /** Lifetime of user tokens; absent: they don't expire. */
  tokenLifetimeSeconds?: number;
}

interface IssuedToken {
  login: string;
  expiresAt: number;
}

export class UserTokens {
  /** Every token and code that was ever given out. */
  readonly given: string[] = [];
  readonly #app: AppSettings;
  /** Of emulate, without a trailing slash. */
  readonly #upstream: string;
  readonly #tokens = new Map<string, IssuedToken>();
  readonly #refreshTokens = new Map<string, string>();
  readonly #redirects = new Map<string, string>();

  constructor(app: AppSettings, upstream: string) {
    this.#app = app;
    this.#upstream = upstream;
  }

  /** Whose token it is; null if it is nobody's, or has expired or been revoked. */
  owner(request: Request): string | null {
    const [, token = ""] = /^(?:bearer|token) (\S+)$/i.exec(request.headers.get("authorization") ?? "") ?? [];
    const issued = this.#tokens.get(token);
    return issued && issued.expiresAt > Date.now() ? issued.login : null;
  }

  /** Takes back everything that a user gave this App. */
  revoke(login: string): void {
    for (const [token, issued] of this.#tokens) if (issued.login === login) this.#tokens.delete(token);
    for (const [token, owner] of this.#refreshTokens) if (owner === login) this.#refreshTokens.delete(token);
  }

  /** Makes every user token expire now, as eight hours would. */
  expireAll(): void {
    for (const issued of this.#tokens.values()) issued.expiresAt = 0;
  }

  /** A user token without a sign-in, for tests of the API alone. */
  async issue(login: string): Promise<string> {
    return String((await this.#exchangeUpstream(login)).access_token);
  }

  /** Remembers where a code was sent. */
  noteCode(location: string): void {
    const url = new URL(location);
    const code = url.searchParams.get("code");
    if (!code) return;
    this.given.push(code);
    this.#redirects.set(code, url.origin + url.pathname);
  }

  /** `POST /login/oauth/access_token`. */
  async exchange(request: Request): Promise<Response> {
    const form = new URLSearchParams(await request.text());
    const answer =
      form.get("grant_type") === "refresh_token" ? await this.#refresh(form) : await this.#exchangeCode(form);
    // GitHub's default, unless JSON is asked for.
    if (request.headers.get("accept")?.includes("json")) return Response.json(answer);
    const text = new URLSearchParams(Object.entries(answer).map(([name, value]) => [name, String(value)]));
    return new Response(text, { headers: { "Content-Type": "application/x-www-form-urlencoded; charset=utf-8" } });
  }

  async #exchangeCode(form: URLSearchParams): Promise<Record<string, unknown>> {
    const redirect = this.#redirects.get(form.get("code") ?? "");
    if (redirect && form.has("redirect_uri") && form.get("redirect_uri") !== redirect) {
      return { error: "redirect_uri_mismatch", error_description: "The redirect_uri MUST match the registered one." };
    }
    return this.#ask(form);
  }

  async #refresh(form: URLSearchParams): Promise<Record<string, unknown>> {
    if (form.get("client_secret") !== this.#app.clientSecret) return { error: "incorrect_client_credentials" };
    const token = form.get("refresh_token") ?? "";
    const login = this.#refreshTokens.get(token);
    if (!login) return { error: "bad_refresh_token", error_description: "The refresh token passed is incorrect." };
    this.#refreshTokens.delete(token);
    return this.#exchangeUpstream(login);
  }

  /** Signs in at emulate as a person would, and exchanges the code. */
  async #exchangeUpstream(login: string): Promise<Record<string, unknown>> {
    const { clientId, clientSecret } = this.#app;
    const signedIn = await fetch(`${this.#upstream}/login/oauth/callback`, {
      method: "POST",
      body: new URLSearchParams({ login, client_id: clientId, redirect_uri: "http://127.0.0.1/", state: "" }),
      redirect: "manual",
    });
    const code = new URL(signedIn.headers.get("location") ?? "").searchParams.get("code") ?? "";
    return this.#ask(new URLSearchParams({ client_id: clientId, client_secret: clientSecret, code }));
  }

  async #ask(form: URLSearchParams): Promise<Record<string, unknown>> {
    const url = `${this.#upstream}/login/oauth/access_token`;
    const answer = await fetch(url, { method: "POST", headers: { Accept: "application/json" }, body: form });
    const granted = (await answer.json()) as Record<string, unknown>;
    if (typeof granted.access_token !== "string") return granted;

    const headers = { Authorization: `Bearer ${granted.access_token}` };
    const user = (await (await fetch(`${this.#upstream}/user`, { headers })).json()) as { login: string };
    const lifetime = this.#app.tokenLifetimeSeconds;
    const expiresAt = lifetime === undefined ? Number.POSITIVE_INFINITY : Date.now() + lifetime * 1_000;
    this.given.push(granted.access_token);
    this.#tokens.set(granted.access_token, { login: user.login, expiresAt });
    if (lifetime === undefined) return granted;

    const refreshToken = `ghr_${randomBytes(30).toString("hex")}`;
    this.given.push(refreshToken);
    this.#refreshTokens.set(refreshToken, user.login);
    const expiry = { expires_in: lifetime, refresh_token: refreshToken, refresh_token_expires_in: 15_811_200 };
    return { ...granted, ...expiry };
  }
}
