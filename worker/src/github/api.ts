/**
 * One question to GitHub's REST API in a user's name, with every way it can go wrong as a result.
 *
 * Reasons name the path and what came back, never a header or GitHub's own text: they go to the log.
 */
import { request } from "@octokit/request";
import { RequestError } from "@octokit/request-error";
import type { z } from "zod";
import { rateLimit } from "./rate-limit.ts";

/** What GitHub gets to answer one question, the body included. */
export const TIMEOUT_MS = 10_000;

/** GitHub refuses requests without one. */
export const USER_AGENT = "github-webhook-mcp";

export type ApiAnswer<T> =
  | { outcome: "ok"; value: T }
  /** 401: the token is good for nothing. */
  | { outcome: "unauthorized"; reason: string }
  /** 403 or 404 in GitHub's own words: the token is good, but not for this. */
  | { outcome: "forbidden"; status: 403 | 404; reason: string }
  /** Down, slow, rate limited, or not an answer of GitHub's. */
  | { outcome: "unavailable"; reason: string; retryAfterSeconds: number | null };

export interface GitHubApi {
  /** `GET path`; the answer must fit the schema. */
  get<T>(path: string, query: Query, accessToken: string, schema: z.ZodType<T>): Promise<ApiAnswer<T>>;
}

type Query = Readonly<Record<string, string | number>>;

const silent = { debug() {}, info() {}, warn() {}, error() {} };

/**
 * @param apiUrl GITHUB_API_URL, without a trailing slash; GHES: `https://HOST/api/v3`
 */
export function createApi(apiUrl: string, timeoutMs = TIMEOUT_MS): GitHubApi {
  const ask = request.defaults({
    baseUrl: apiUrl,
    headers: {
      accept: "application/vnd.github+json",
      "user-agent": USER_AGENT,
      "x-github-api-version": "2022-11-28",
    },
    // Following a redirect would carry the token to another host.
    request: { redirect: "manual", log: silent },
  });

  return {
    async get(path, query, accessToken, schema) {
      const signal = AbortSignal.timeout(timeoutMs);
      const question = `GET ${path}`;
      const unavailable = (what: string, retryAfterSeconds: number | null = null) =>
        ({ outcome: "unavailable", reason: `${question}: ${what}`, retryAfterSeconds }) as const;
      try {
        const headers = { authorization: `Bearer ${accessToken}` };
        const { status, data } = await ask(question, { ...query, headers, request: { signal } });
        if (signal.aborted) return unavailable("no answer in time");
        if (status !== 200) return unavailable(`status ${status}`);
        const parsed = schema.safeParse(data);
        return parsed.success ? { outcome: "ok", value: parsed.data } : unavailable("not the expected answer");
      } catch (error) {
        if (signal.aborted) return unavailable("no answer in time");
        if (!(error instanceof RequestError) || error.response === undefined) return unavailable("no answer");
        const { status, response } = error;
        const what = `status ${status}`;
        const limit = rateLimit(status, response.headers, response.data, Date.now());
        if (limit) return unavailable(`${what}, rate limited`, limit.retryAfterSeconds);
        // A proxy in between has its own 401 and 403, and they say nothing about the token.
        if (!isGitHubsOwn(response.data)) return unavailable(what);
        if (status === 401) return { outcome: "unauthorized", reason: `${question}: ${what}` };
        if (status === 403 || status === 404) return { outcome: "forbidden", status, reason: `${question}: ${what}` };
        return unavailable(what);
      }
    },
  };
}

/** GitHub's errors are JSON objects with a `message`. */
function isGitHubsOwn(data: unknown): boolean {
  return typeof data === "object" && data !== null && "message" in data && typeof data.message === "string";
}
