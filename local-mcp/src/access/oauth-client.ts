/** What the bridge asks of the Worker's OAuth endpoints, and what comes of it. Knows no state. */
import * as z from "zod";
import { parseJson } from "../parse-json.ts";
import type { Network } from "../ports.ts";

export const POLL_GRANT = "urn:ietf:params:oauth:grant-type:web_authorization_poll";

/** Events are read, and marked as processed. */
const SCOPE = "events:read events:write";
const TIMEOUT_MS = 20_000;
/** How much later than its head the end of an answer may come. */
const BODY_MS = 1_000;
/** More than any answer of these endpoints: something else is answering. */
const MAX_ANSWER_CHARACTERS = 100_000;

export interface TokenAnswer {
  accessToken: string;
  /** Absent in a refresh: the one that was used stays good (RFC 6749 §6). */
  refreshToken: string | null;
  expiresInSeconds: number;
}

/** `refused`: the Worker said no, with an error code of OAuth. `unavailable`: nothing is known; `sentence` says why. */
export type OAuthAnswer<T> =
  | { outcome: "ok"; value: T }
  | { outcome: "refused"; error: string; description: string }
  | { outcome: "unavailable"; sentence: string; retryAfterSeconds: number | null };

const registration = z.object({ client_id: z.string().min(1) });
const tokenAnswer = z.object({
  access_token: z.string().min(1),
  refresh_token: z.string().min(1).nullish().catch(null),
  expires_in: z.coerce.number().positive().catch(3_600),
});
const oauthError = z.object({ error: z.string(), error_description: z.string().catch("") });

export class OAuthClient {
  readonly #network: Network;
  readonly #workerUrl: string;
  readonly #timeoutMs: number;

  /** @param timeoutMs for a whole answer, its body included: a refresh holds up every process on the machine */
  constructor(network: Network, workerUrl: string, timeoutMs = TIMEOUT_MS) {
    this.#network = network;
    this.#workerUrl = workerUrl;
    this.#timeoutMs = timeoutMs;
  }

  /** RFC 7591: a client that signs in by polling, and therefore has no redirect URI. */
  async register(clientName: string): Promise<OAuthAnswer<string>> {
    const body = JSON.stringify({
      client_name: clientName,
      grant_types: [POLL_GRANT, "refresh_token"],
      token_endpoint_auth_method: "none",
      scope: SCOPE,
    });
    const answer = await this.#post("/oauth/register", body, "application/json", registration);
    return answer.outcome === "ok" ? { outcome: "ok", value: answer.value.client_id } : answer;
  }

  /** The page that a person opens to sign in. */
  authorizeUrl(clientId: string, state: string, codeChallenge: string): string {
    const query = new URLSearchParams({
      client_id: clientId,
      state,
      code_challenge: codeChallenge,
      code_challenge_method: "S256",
      scope: SCOPE,
    });
    return `${this.#workerUrl}/oauth/authorize?${query}`;
  }

  /** Asks once whether the person has signed in (RFC 8628 §3.5 has the errors). */
  poll(clientId: string, state: string, codeVerifier: string): Promise<OAuthAnswer<TokenAnswer>> {
    return this.#token({ grant_type: POLL_GRANT, client_id: clientId, state, code_verifier: codeVerifier });
  }

  refresh(clientId: string, refreshToken: string): Promise<OAuthAnswer<TokenAnswer>> {
    return this.#token({ grant_type: "refresh_token", client_id: clientId, refresh_token: refreshToken });
  }

  /** RFC 7009: ends the grant that a token belongs to. */
  async revoke(clientId: string, token: string): Promise<OAuthAnswer<null>> {
    const form = new URLSearchParams({ client_id: clientId, token }).toString();
    const answer = await this.#post("/oauth/revoke", form, FORM, z.unknown());
    return answer.outcome === "ok" ? { outcome: "ok", value: null } : answer;
  }

  async #token(form: Record<string, string>): Promise<OAuthAnswer<TokenAnswer>> {
    const answer = await this.#post("/oauth/token", new URLSearchParams(form).toString(), FORM, tokenAnswer);
    if (answer.outcome !== "ok") return answer;
    const { access_token, refresh_token, expires_in } = answer.value;
    return {
      outcome: "ok",
      value: {
        accessToken: access_token,
        refreshToken: refresh_token ?? null,
        expiresInSeconds: Math.max(1, Math.floor(expires_in)),
      },
    };
  }

  async #post<T>(path: string, body: string, type: string, schema: z.ZodType<T>): Promise<OAuthAnswer<T>> {
    let status: number;
    let retryAfter: string | null;
    let text: string | null = null;
    try {
      const response = await this.#network.fetch(`${this.#workerUrl}${path}`, {
        method: "POST",
        headers: { "content-type": type, accept: "application/json" },
        body,
        timeoutMs: this.#timeoutMs,
        signal: AbortSignal.timeout(this.#timeoutMs + BODY_MS),
      });
      status = response.status;
      retryAfter = response.headers.get("retry-after");
      text = await response.text().catch(() => null);
    } catch (error) {
      return { outcome: "unavailable", sentence: (error as Error).message, retryAfterSeconds: null };
    }
    if (text === null) {
      const sentence = `The Worker at ${this.#workerUrl} broke off or stalled in the middle of an answer.`;
      return { outcome: "unavailable", sentence, retryAfterSeconds: null };
    }
    return readAnswer(this.#workerUrl, { status, retryAfter, text }, schema);
  }
}

const FORM = "application/x-www-form-urlencoded";

function readAnswer<T>(
  workerUrl: string,
  { status, retryAfter, text }: { status: number; retryAfter: string | null; text: string },
  schema: z.ZodType<T>,
): OAuthAnswer<T> {
  const unavailable = (sentence: string): OAuthAnswer<T> => ({
    outcome: "unavailable",
    sentence,
    retryAfterSeconds: retryAfter !== null && /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) : null,
  });
  if (status === 429)
    return unavailable(`The Worker at ${workerUrl} takes no more sign-in requests for now (HTTP 429).`);
  if (status >= 500) return unavailable(`The Worker at ${workerUrl} failed (HTTP ${status}).`);
  const json = text.length <= MAX_ANSWER_CHARACTERS ? parseJson(text) : null;
  if (status >= 200 && status < 300) {
    const parsed = schema.safeParse(json);
    if (parsed.success) return { outcome: "ok", value: parsed.data };
  } else {
    const error = oauthError.safeParse(json);
    if (error.success) {
      return { outcome: "refused", error: error.data.error, description: error.data.error_description };
    }
  }
  return unavailable(
    `What answers at ${workerUrl} is no sign-in endpoint of github-webhook-mcp (HTTP ${status}). Check WEBHOOK_WORKER_URL, and that no sign-in page of another service stands in front of it.`,
  );
}
