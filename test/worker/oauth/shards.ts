/** The shards of OAuthStore with a stand-in for GitHub, and the steps that lead to a token. */
import { env, reset } from "cloudflare:test";
import { expect, vi } from "vitest";
import type { TokenPair } from "../../../worker/src/grants/grants.ts";
import { oauthPort } from "../../../worker/src/grants/oauth-port.ts";
import { hashOf } from "../../../worker/src/grants/secrets.ts";
import type { Outcome } from "../../../worker/src/grants/sign-ins.ts";
import { FakeGitHub, MONA, storedRecords } from "../fake-github.ts";

export const oauth = oauthPort(env.OAUTH_STORE);
export const CALLBACK = "https://hooks.example/oauth/callback";
export const VERIFIER = "v".repeat(43);
export const CHALLENGE = hashOf(VERIFIER);
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export let github: FakeGitHub;

/** Empty shards, a GitHub of their own, and a clock that stands still: give it back with `vi.useRealTimers()`. */
export async function emptyShards(): Promise<void> {
  await reset();
  vi.useFakeTimers({ toFake: ["Date"] });
  github = await new FakeGitHub().install();
}

export const pass = (ms: number) => vi.setSystemTime(Date.now() + ms);

export const codeFlow = {
  clientId: "client-a",
  clientName: "A",
  target: { type: "code", redirectUri: "https://client.example/cb", challenge: CHALLENGE } as const,
  scopes: ["events:read"],
  resource: null,
  clientState: "s+1",
};

/** Goes through consent and GitHub; returns how it ended. */
export async function approve(request: Parameters<typeof oauth.begin>[0], access = MONA): Promise<Outcome> {
  const visit = await oauth.begin(request);
  expect(visit.outcome).toBe("ok");
  expect(await oauth.consent(visit, true, false)).toEqual({ outcome: "github" });
  const back = await oauth.callback(visit, github.code(access), CALLBACK);
  if (back.outcome !== "done") throw new Error(back.outcome);
  return back.result;
}

/** Approves, and gives what the code is redeemed with. */
export async function approvedCode(clientId = "client-a", access = MONA) {
  const result = await approve({ ...codeFlow, clientId }, access);
  if (!("code" in result)) throw new Error("no code");
  return { code: result.code, clientId, verifier: VERIFIER, redirectUri: null, resource: null };
}

export async function signIn(clientId = "client-a", access = MONA): Promise<TokenPair> {
  const redeemed = await oauth.redeemCode(await approvedCode(clientId, access));
  if (redeemed.outcome !== "ok") throw new Error(redeemed.outcome);
  return redeemed.pair;
}

export const refresh = (refreshToken: string, clientId = "client-a") =>
  oauth.refresh({ refreshToken, clientId, scopes: null });

export async function rotated(refreshToken: string): Promise<TokenPair> {
  const result = await refresh(refreshToken);
  if (result.outcome !== "ok") throw new Error(JSON.stringify(result));
  return result.pair;
}

/** The records whose key begins with this. */
export const family = async (prefix: string) => (await storedRecords()).filter(([key]) => key.startsWith(prefix));
