/**
 * User tokens of the GitHub App: a code, or a refresh token, for a new one, as a confidential client.
 *
 * https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-user-access-token-for-a-github-app
 * https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/refreshing-user-access-tokens
 */
import { z } from "zod";
import type { GitHubResult, GitHubUserToken } from "../ports.ts";
import { TIMEOUT_MS, USER_AGENT } from "./api.ts";
import { rateLimit } from "./rate-limit.ts";

export interface AppCredentials {
  /** GITHUB_URL, without a trailing slash. */
  githubUrl: string;
  clientId: string;
  clientSecret: string;
}

export type TokenGrant =
  | { grant_type: "authorization_code"; code: string; redirect_uri: string }
  | { grant_type: "refresh_token"; refresh_token: string };

/** What GitHub says of the code or refresh token itself; every other error is about this App's settings. */
const REFUSALS = new Set([
  "access_denied",
  "bad_refresh_token",
  "bad_verification_code",
  "expired_token",
  "unverified_user_email",
]);

const seconds = z.coerce.number().int().nonnegative().optional();
const granted = z.object({
  access_token: z.string().min(1),
  token_type: z.string().regex(/^bearer$/i),
  expires_in: seconds,
  refresh_token: z.string().min(1).optional(),
  refresh_token_expires_in: seconds,
});
const failed = z.object({ error: z.string() });

/** Asks for a user token. Never throws, and no reason holds a secret. */
export async function requestUserToken(
  app: AppCredentials,
  grant: TokenGrant,
  timeoutMs = TIMEOUT_MS,
): Promise<GitHubResult<GitHubUserToken>> {
  const asked = Date.now();
  const answer = await post(app, grant, timeoutMs);
  if ("problem" in answer) return unavailable(answer.problem);
  const { status, headers, data } = answer;

  // GitHub answers a bad code with 200 and an `error`.
  const failure = failed.safeParse(data);
  if (failure.success) return refusal(failure.data.error);
  const limit = rateLimit(status, headers, data, Date.now());
  if (limit) return unavailable(`status ${status}, rate limited`, limit.retryAfterSeconds);
  if (status !== 200) return unavailable(`status ${status}`);

  const token = granted.safeParse(data);
  if (!token.success) return unavailable("not the expected answer");
  const { access_token, expires_in, refresh_token, refresh_token_expires_in } = token.data;
  return {
    outcome: "ok",
    value: {
      accessToken: access_token,
      expiresAt: at(asked, expires_in),
      refreshToken: refresh_token ?? null,
      refreshTokenExpiresAt: at(asked, refresh_token_expires_in),
    },
  };
}

type TokenAnswer = { problem: string } | { status: number; headers: Record<string, string>; data: unknown };

async function post(app: AppCredentials, grant: TokenGrant, timeoutMs: number): Promise<TokenAnswer> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(`${app.githubUrl}/login/oauth/access_token`, {
      method: "POST",
      headers: { Accept: "application/json", "User-Agent": USER_AGENT },
      body: new URLSearchParams({ client_id: app.clientId, client_secret: app.clientSecret, ...grant }),
      // Following a redirect would carry the client secret to another host.
      redirect: "manual",
      signal,
    });
    const { status } = response;
    return { status, headers: Object.fromEntries(response.headers), data: parse(await response.text()) };
  } catch {
    return { problem: signal.aborted ? "no answer in time" : "no answer" };
  }
}

/** GitHub's own default is form-encoding, and older servers stay with it whatever is accepted. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return Object.fromEntries(new URLSearchParams(text));
  }
}

function refusal(code: string): GitHubResult<never> {
  // Only codes as OAuth forms them are quoted: what else stands there may be anything.
  const reason = /^[a-z_]{1,60}$/.test(code) ? code : "an unknown error";
  return REFUSALS.has(code) ? { outcome: "refused", reason: `user token: ${reason}` } : unavailable(reason);
}

function unavailable(what: string, retryAfterSeconds: number | null = null): GitHubResult<never> {
  return { outcome: "unavailable", reason: `user token: ${what}`, retryAfterSeconds };
}

/** An expiry is counted from the question: the answer may have been long on its way. */
function at(asked: number, lifetime: number | undefined): number | null {
  return lifetime === undefined ? null : asked + lifetime * 1_000;
}
