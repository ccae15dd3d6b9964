/** GitHub as sign-in needs it: user tokens of the App, and what their users can see. */
import type { Config } from "../config.ts";
import { errorText } from "../log.ts";
import type { GitHubAccess, GitHubPort, GitHubResult } from "../ports.ts";
import { type AccessProgress, type AccessStep, readAccessBatch } from "./access-batch.ts";
import { createApi, TIMEOUT_MS } from "./api.ts";
import { requestUserToken, type TokenGrant } from "./user-token.ts";

export type GitHubSettings = Pick<Config, "githubUrl" | "githubApiUrl" | "githubClientId" | "githubClientSecret">;

export interface UserGitHubOptions {
  /** Where batches of a reading run; by default here, one after another. */
  runBatch?: AccessBatchRunner;
  /** What GitHub gets for one answer; 10 s by default. */
  timeoutMs?: number;
}

/**
 * Reads one batch of a user's access. Where a Durable Object runs it, each batch has the limits of a request of its
 * own; see access-batch.ts.
 */
export type AccessBatchRunner = (
  accessToken: string,
  progress: AccessProgress | null,
) => Promise<GitHubResult<AccessStep>>;

/** The GitHub of this configuration. Without an App in it, every user token is `unavailable`. */
export function userGitHub(settings: GitHubSettings, options: UserGitHubOptions = {}): GitHubPort {
  const { timeoutMs = TIMEOUT_MS, runBatch = batchRunner(settings, timeoutMs) } = options;
  const userToken = async (grant: TokenGrant) => {
    const { githubUrl, githubClientId: clientId, githubClientSecret: clientSecret } = settings;
    if (clientId === null || clientSecret === null) {
      const reason = "user token: GITHUB_CLIENT_ID or GITHUB_CLIENT_SECRET is not set";
      return { outcome: "unavailable", reason, retryAfterSeconds: null } as const;
    }
    return requestUserToken({ githubUrl, clientId, clientSecret }, grant, timeoutMs);
  };
  return {
    exchangeCode: (code, redirectUri) =>
      userToken({ grant_type: "authorization_code", code, redirect_uri: redirectUri }),
    refreshUserToken: (refreshToken) => userToken({ grant_type: "refresh_token", refresh_token: refreshToken }),
    access: (accessToken) => readAccess(runBatch, accessToken),
  };
}

/** Batches that run where they are asked for. */
export function batchRunner(
  settings: Pick<GitHubSettings, "githubApiUrl">,
  timeoutMs: number = TIMEOUT_MS,
): AccessBatchRunner {
  const api = createApi(settings.githubApiUrl, timeoutMs);
  return (accessToken, progress) => readAccessBatch(api, accessToken, progress);
}

async function readAccess(run: AccessBatchRunner, accessToken: string): Promise<GitHubResult<GitHubAccess>> {
  let progress: AccessProgress | null = null;
  try {
    for (;;) {
      const step: GitHubResult<AccessStep> = await run(accessToken, progress);
      if (step.outcome !== "ok") return step;
      if (step.value.done) return { outcome: "ok", value: step.value.access };
      progress = step.value.progress;
    }
  } catch (error) {
    // The Durable Object that ran a batch was lost.
    return { outcome: "unavailable", reason: `access: ${errorText(error)}`, retryAfterSeconds: null };
  }
}
