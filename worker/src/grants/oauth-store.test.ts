import { env, reset, runDurableObjectAlarm } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { FakeGitHub, MONA, storedRecords } from "../../../test/worker/fake-github.ts";
import type { TokenPair } from "./grants.ts";
import { oauthPort } from "./oauth-port.ts";
import { hashOf, shardOfSecret } from "./secrets.ts";
import type { Outcome } from "./sign-ins.ts";

const oauth = oauthPort(env.OAUTH_STORE);
const CALLBACK = "https://hooks.example/oauth/callback";
const VERIFIER = "v".repeat(43);
const CHALLENGE = hashOf(VERIFIER);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

let github: FakeGitHub;

beforeEach(async () => {
  await reset();
  vi.useFakeTimers({ toFake: ["Date"] });
  github = await new FakeGitHub().install();
});
afterEach(() => vi.useRealTimers());

const pass = (ms: number) => vi.setSystemTime(Date.now() + ms);

const codeFlow = {
  clientId: "client-a",
  clientName: "A",
  target: { type: "code", redirectUri: "https://client.example/cb", challenge: CHALLENGE },
  scopes: ["events:read"],
  resource: null,
  clientState: "s+1",
} as const;

/** Goes through consent and GitHub; returns how it ended. */
async function approve(request: Parameters<typeof oauth.begin>[0], access = MONA): Promise<Outcome> {
  const visit = await oauth.begin(request);
  expect(visit.outcome).toBe("ok");
  expect(await oauth.consent(visit, true, false)).toEqual({ outcome: "github" });
  const back = await oauth.callback(visit, github.code(access), CALLBACK);
  if (back.outcome !== "done") throw new Error(back.outcome);
  return back.result;
}

async function signIn(clientId = "client-a", access = MONA): Promise<TokenPair> {
  const result = await approve({ ...codeFlow, clientId, scopes: ["events:read"] }, access);
  if (!("code" in result)) throw new Error("no code");
  const redeemed = await oauth.redeemCode({
    code: result.code,
    clientId,
    verifier: VERIFIER,
    redirectUri: null,
    resource: null,
  });
  if (redeemed.outcome !== "ok") throw new Error(redeemed.outcome);
  return redeemed.pair;
}

const refresh = (refreshToken: string, clientId = "client-a") =>
  oauth.refresh({ refreshToken, clientId, scopes: null });

async function rotated(refreshToken: string): Promise<TokenPair> {
  const result = await refresh(refreshToken);
  if (result.outcome !== "ok") throw new Error(JSON.stringify(result));
  return result.pair;
}

const family = async (prefix: string) => (await storedRecords()).filter(([key]) => key.startsWith(prefix));
const unspent = async () =>
  (await family("refresh:")).filter(([, value]) => (value as { state: string }).state === "current");

describe("rotation", () => {
  test("of 50 simultaneous refreshes one rotates, the others get its pair, and GitHub is asked once", async () => {
    const first = await signIn();
    pass(HOUR);
    github.reads = 0;
    const pairs = await Promise.all(Array.from({ length: 50 }, () => rotated(first.refreshToken)));
    expect(new Set(pairs.map((pair) => JSON.stringify(pair))).size).toBe(1);
    expect(pairs[0]!.refreshToken).not.toBe(first.refreshToken);
    expect(github.reads).toBe(1);
    expect(await family("grant:")).toHaveLength(1);
    expect(await unspent()).toHaveLength(1);
    expect(await family("token:")).toHaveLength(2);
  });

  test("a lost answer can be asked for again while the new pair is unused: after 61 s, and after 4 days", async () => {
    const r1 = await signIn();
    const r2 = await rotated(r1.refreshToken);
    pass(61_000);
    expect(await rotated(r1.refreshToken)).toEqual(r2);
    pass(4 * DAY);
    const r3 = await rotated(r1.refreshToken);
    expect(r3.accessToken).not.toBe(r2.accessToken);
    expect(await oauth.check(r3.accessToken)).toMatchObject({ userId: 7 });
    // Whoever has the pair in between is no thief either.
    expect(await rotated(r2.refreshToken)).toEqual(r3);
    expect(await rotated(r1.refreshToken)).toEqual(r3);
    expect(await family("grant:")).toHaveLength(1);
  });

  test.each([
    ["its access token passed a check", (pair: TokenPair) => oauth.check(pair.accessToken)],
    ["its refresh token was presented", (pair: TokenPair) => rotated(pair.refreshToken)],
  ])("once the new pair is used (%s) the old token yields it for 60 s, then ends that grant only", async (_, use) => {
    const sibling = await signIn();
    const other = await signIn("client-b");
    const r1 = await signIn();
    const r2 = await rotated(r1.refreshToken);
    await use(r2);
    pass(50_000);
    expect(await rotated(r1.refreshToken)).toEqual(r2);
    pass(10_001);
    expect(await refresh(r1.refreshToken)).toEqual({ outcome: "invalid_grant", reason: "replayed" });
    expect(await oauth.check(r2.accessToken)).toBeNull();
    expect(await refresh(r2.refreshToken)).toEqual({ outcome: "invalid_grant", reason: "unknown" });
    expect(await oauth.check(sibling.accessToken)).not.toBeNull();
    expect((await refresh(sibling.refreshToken)).outcome).toBe("ok");
    expect((await refresh(other.refreshToken, "client-b")).outcome).toBe("ok");
  });

  test("a use is known of every token that the pair stands for, those of answers that were lost included", async () => {
    const r1 = await signIn();
    await rotated(r1.refreshToken);
    pass(2 * HOUR);
    const r3 = await rotated(r1.refreshToken);
    await oauth.check(r3.accessToken);
    pass(MINUTE + 1);
    expect(await refresh(r1.refreshToken)).toEqual({ outcome: "invalid_grant", reason: "replayed" });
  });

  test("another client's refresh token is refused, and stays good", async () => {
    const pair = await signIn();
    expect(await refresh(pair.refreshToken, "client-b")).toEqual({ outcome: "invalid_grant", reason: "client" });
    expect((await refresh(pair.refreshToken)).outcome).toBe("ok");
  });

  test("a replay by another client ends nothing", async () => {
    const r1 = await signIn();
    const r2 = await rotated(r1.refreshToken);
    await oauth.check(r2.accessToken);
    pass(MINUTE + 1);
    expect(await refresh(r1.refreshToken, "client-b")).toEqual({ outcome: "invalid_grant", reason: "client" });
    expect(await oauth.check(r2.accessToken)).not.toBeNull();
  });

  test("a grant lives 30 days from its last refresh; its access token an hour", async () => {
    const r1 = await signIn();
    pass(HOUR);
    expect(await oauth.check(r1.accessToken)).toBeNull();
    pass(29 * DAY);
    const r2 = await rotated(r1.refreshToken);
    pass(29 * DAY);
    const r3 = await rotated(r2.refreshToken);
    pass(30 * DAY);
    expect(await refresh(r3.refreshToken)).toEqual({ outcome: "invalid_grant", reason: "unknown" });
  });

  test("fewer scopes may be asked for, more may not", async () => {
    const pair = await signIn();
    const ask = (scopes: string[]) => oauth.refresh({ refreshToken: pair.refreshToken, clientId: "client-a", scopes });
    expect(await ask(["events:read", "events:write"])).toEqual({ outcome: "invalid_scope" });
    expect(await ask(["events:read"])).toMatchObject({ outcome: "ok", pair: { scopes: ["events:read"] } });
  });
});

describe("access at refresh", () => {
  const acme = MONA.accounts[1]!;

  test("is read anew, not more often than ACCESS_RECHECK_SECONDS", async () => {
    const r1 = await signIn();
    github.reads = 0;
    pass(299_000);
    const r2 = await rotated(r1.refreshToken);
    expect(github.reads).toBe(0);
    github.set(7, [
      { ...acme, repositories: [501] },
      { accountId: 60, login: "new", repositories: "all", orgOwner: true },
    ]);
    pass(1_000);
    const r3 = await rotated(r2.refreshToken);
    expect(github.reads).toBe(1);
    expect((await oauth.check(r3.accessToken))?.access).toEqual([
      { ...acme, repositories: [501] },
      { accountId: 60, login: "new", repositories: "all", orgOwner: true },
    ]);
  });

  test("a user whom GitHub no longer knows gets invalid_grant, and the grant is gone", async () => {
    const pair = await signIn();
    github.tokens.clear();
    pass(10 * MINUTE);
    expect(await refresh(pair.refreshToken)).toEqual({ outcome: "invalid_grant", reason: "revoked" });
    expect(await family("grant:")).toEqual([]);
  });

  test("while GitHub is down the last known access serves for 4 h, then it is later, with the token unspent", async () => {
    const r1 = await signIn();
    github.down = true;
    pass(3 * HOUR + 30 * MINUTE);
    const r2 = await rotated(r1.refreshToken);
    // Not a minute longer than the access that it stands on.
    expect(r2.accessExpiresAt - Date.now()).toBe(30 * MINUTE);
    pass(30 * MINUTE);
    expect(await refresh(r2.refreshToken)).toEqual({ outcome: "unavailable", retryAfterSeconds: 30 });
    github.down = false;
    expect((await refresh(r2.refreshToken)).outcome).toBe("ok");
  });

  test("GitHub's own expiring token is renewed once, however many ask, and kept", async () => {
    github.tokensExpireAt = Date.now() + 8 * HOUR;
    const r1 = await signIn();
    pass(9 * HOUR);
    github.tokensExpireAt = Date.now() + 8 * HOUR;
    const [r2] = await Promise.all([rotated(r1.refreshToken), rotated(r1.refreshToken)]);
    expect(github.renewals).toBe(1);
    pass(HOUR);
    await rotated(r2.refreshToken);
    expect(github.renewals).toBe(1);
    pass(8 * HOUR);
    github.tokensExpireAt = Date.now() + 8 * HOUR;
    await rotated((await rotated(r2.refreshToken)).refreshToken);
    expect(github.renewals).toBe(2);
  });

  test("a change that is told while GitHub is being read makes it be read again", async () => {
    const pair = await signIn();
    pass(10 * MINUTE);
    github.reads = 0;
    github.whileReading = async () => {
      github.whileReading = async () => {};
      await oauth.apply({ kind: "repositories-lost", accountId: 50, repositories: [501], userId: null });
      github.set(7, [{ ...acme, repositories: [502] }]);
    };
    const next = await rotated(pair.refreshToken);
    expect(github.reads).toBe(2);
    expect((await oauth.check(next.accessToken))?.access).toEqual([{ ...acme, repositories: [502] }]);
  });
});

describe("a change that a webhook tells", () => {
  const hubot = { ...MONA, userId: 8, login: "hubot", accounts: [{ ...MONA.accounts[1]!, repositories: [502] }] };

  test("takes the access at once, ends the access token, and the next refresh reads anew", async () => {
    const pair = await signIn();
    github.set(7, [MONA.accounts[0]!]);
    github.down = true;
    await oauth.apply({ kind: "account-lost", accountId: 50, userId: 7 });
    expect(await oauth.check(pair.accessToken)).toBeNull();
    // Even while GitHub can't be asked it is gone.
    const blind = await rotated(pair.refreshToken);
    expect((await oauth.check(blind.accessToken))?.access).toEqual([MONA.accounts[0]]);
    github.down = false;
    github.set(7, [MONA.accounts[0]!, { accountId: 60, login: "new", repositories: [1], orgOwner: false }]);
    const seeing = await rotated(blind.refreshToken);
    expect((await oauth.check(seeing.accessToken))?.access.map((account) => account.accountId)).toEqual([7, 60]);
  });

  test("concerns the user that it names, or else everyone with the account", async () => {
    const mona = await signIn();
    const other = await signIn("client-b", hubot);
    await oauth.apply({ kind: "repositories-lost", accountId: 50, repositories: [502], userId: 8 });
    expect(await oauth.check(mona.accessToken)).not.toBeNull();
    expect(await oauth.check(other.accessToken)).toBeNull();
    await oauth.apply({ kind: "changed", accountId: 99, userId: null });
    expect(await oauth.check(mona.accessToken)).not.toBeNull();
    await oauth.apply({ kind: "account-lost", accountId: 50, userId: null });
    expect(await oauth.check(mona.accessToken)).toBeNull();
  });

  test("authorization revoked: the user's grants end, and nobody else's", async () => {
    const mona = await signIn();
    const other = await signIn("client-b", hubot);
    await oauth.apply({ kind: "authorization-revoked", userId: 7 });
    expect(await refresh(mona.refreshToken)).toEqual({ outcome: "invalid_grant", reason: "unknown" });
    expect(await oauth.check(other.accessToken)).not.toBeNull();
  });

  test("reaches a sign-in that is approved and not redeemed yet, and one that GitHub is being asked about", async () => {
    const redeem = (result: Outcome) => {
      if (!("code" in result)) throw new Error("no code");
      const { code } = result;
      return oauth.redeemCode({ code, clientId: "client-a", verifier: VERIFIER, redirectUri: null, resource: null });
    };
    const approved = await approve({ ...codeFlow, scopes: ["events:read"] });
    await oauth.apply({ kind: "account-lost", accountId: 50, userId: 7 });
    const late = await redeem(approved);
    if (late.outcome !== "ok") throw new Error(late.outcome);
    expect((await oauth.check(late.pair.accessToken))?.access).toEqual([MONA.accounts[0]]);
    // What else has changed is read soon.
    expect(late.pair.accessExpiresAt - Date.now()).toBe(MINUTE);
    const next = await rotated(late.pair.refreshToken);
    expect(next.accessExpiresAt - Date.now()).toBe(HOUR);

    const gone = await approve({ ...codeFlow, scopes: ["events:read"] });
    await oauth.apply({ kind: "authorization-revoked", userId: 7 });
    expect(await redeem(gone)).toEqual({ outcome: "invalid_grant", reason: "revoked" });

    github.whileReading = () => oauth.apply({ kind: "account-lost", accountId: 50, userId: 7 });
    const overtaken = await redeem(await approve({ ...codeFlow, scopes: ["events:read"] }));
    expect(overtaken).toMatchObject({ outcome: "ok", pair: { accessExpiresAt: Date.now() + MINUTE } });
  });

  test("an old refresh token whose pair was unused gets a pair that works", async () => {
    const r1 = await signIn();
    const r2 = await rotated(r1.refreshToken);
    await oauth.apply({ kind: "changed", accountId: 50, userId: null });
    const r3 = await rotated(r1.refreshToken);
    expect(r3.accessToken).not.toBe(r2.accessToken);
    expect(await oauth.check(r3.accessToken)).not.toBeNull();
  });
});

describe("authorization codes", () => {
  async function code() {
    const result = await approve({ ...codeFlow, scopes: ["events:read"] });
    if (!("code" in result)) throw new Error("no code");
    return { code: result.code, clientId: "client-a", verifier: VERIFIER, redirectUri: null, resource: null };
  }

  test("are good once; used again, they end what came of them", async () => {
    const request = await code();
    const first = await oauth.redeemCode(request);
    if (first.outcome !== "ok") throw new Error(first.outcome);
    expect(await oauth.redeemCode(request)).toEqual({ outcome: "invalid_grant", reason: "reused" });
    expect(await oauth.check(first.pair.accessToken)).toBeNull();
  });

  test("are refused to another client, verifier or redirect URI, and stay good", async () => {
    const request = await code();
    for (const [change, reason] of [
      [{ clientId: "client-b" }, "client"],
      [{ verifier: "w".repeat(43) }, "verifier"],
      [{ redirectUri: "https://client.example/cb2" }, "redirect"],
    ] as const) {
      expect(await oauth.redeemCode({ ...request, ...change })).toEqual({ outcome: "invalid_grant", reason });
    }
    expect((await oauth.redeemCode({ ...request, redirectUri: "https://client.example/cb" })).outcome).toBe("ok");
  });

  test("live a minute", async () => {
    const request = await code();
    pass(MINUTE);
    expect(await oauth.redeemCode(request)).toEqual({ outcome: "invalid_grant", reason: "unknown" });
  });
});

describe("poll flows", () => {
  const STATE = "a-state-that-the-bridge-made";
  const poll = (change: object = {}) =>
    oauth.poll({
      state: STATE,
      clientId: "bridge",
      clientName: "Bridge",
      verifier: VERIFIER,
      address: "192.0.2.1",
      ...change,
    });
  const flow = (change: object = {}) => ({
    ...codeFlow,
    clientId: "bridge",
    scopes: ["events:read"],
    clientState: null,
    target: { type: "poll", state: STATE, challenge: CHALLENGE, ...change } as const,
  });

  test("of 5 polls at once on an approved state one gets the pair, the others expired_token", async () => {
    await approve(flow());
    const answers = await Promise.all(Array.from({ length: 5 }, () => poll()));
    expect(answers.map(({ outcome }) => outcome).sort()).toEqual(["expired", "expired", "expired", "expired", "ok"]);
    expect(await family("grant:")).toHaveLength(1);
  });

  test("a poll before the browser is pending, and tells the consent page where it came from", async () => {
    expect(await poll()).toEqual({ outcome: "pending" });
    expect(await poll({ address: "198.51.100.1" })).toEqual({ outcome: "slow_down" });
    expect(await oauth.begin(flow())).toMatchObject({ outcome: "ok", polledFrom: "192.0.2.1" });
  });

  test("slow_down replaces only pending, and never the first", async () => {
    await oauth.begin(flow());
    expect(await poll()).toEqual({ outcome: "pending" });
    pass(2_000);
    expect(await poll()).toEqual({ outcome: "slow_down" });
    pass(5_000);
    expect(await poll()).toEqual({ outcome: "pending" });
    await approve(flow());
    expect(await poll()).toMatchObject({ outcome: "ok" });
  });

  test("a wrong verifier or client gets nothing, and changes nothing", async () => {
    await approve(flow());
    expect(await poll({ verifier: "w".repeat(43) })).toEqual({ outcome: "invalid_grant" });
    expect(await poll({ clientId: "other" })).toEqual({ outcome: "invalid_grant" });
    expect(await poll()).toMatchObject({ outcome: "ok" });
  });

  test("a known state is not another's: neither another client's nor another verifier's", async () => {
    await oauth.begin(flow());
    expect(await oauth.begin({ ...flow(), clientId: "thief" })).toMatchObject({ outcome: "taken" });
    expect(await oauth.begin(flow({ challenge: hashOf("w".repeat(43)) }))).toMatchObject({ outcome: "taken" });
    expect(await oauth.begin(flow())).toMatchObject({ outcome: "ok" });
  });

  test("an approved state can't be authorized again, and a consumed one stays consumed for 600 s", async () => {
    await approve(flow());
    expect(await oauth.begin(flow())).toMatchObject({ outcome: "over" });
    await poll();
    pass(599_000);
    expect(await poll()).toEqual({ outcome: "expired" });
    expect(await oauth.begin(flow())).toMatchObject({ outcome: "over" });
  });

  test("a state that nobody approved in 600 s has expired", async () => {
    const visit = await oauth.begin(flow());
    await oauth.consent(visit, true, false);
    pass(600_000);
    expect(await poll()).toEqual({ outcome: "expired" });
  });

  test("a no, at the consent page or at GitHub, is told at once", async () => {
    const visit = await oauth.begin(flow());
    await oauth.consent(visit, false, false);
    expect(await poll()).toMatchObject({ outcome: "denied" });
    expect(await poll()).toMatchObject({ outcome: "denied" });
  });

  test("GitHub down at the exchange ends the flow instead of leaving it pending", async () => {
    const visit = await oauth.begin(flow());
    await oauth.consent(visit, true, false);
    github.down = true;
    expect(await oauth.callback(visit, github.code(), CALLBACK)).toMatchObject({
      result: { failure: { error: "temporarily_unavailable" } },
    });
    expect(await poll()).toMatchObject({ outcome: "denied", reason: expect.stringContaining("GitHub") });
  });
});

describe("transactions", () => {
  test("a callback twice at once exchanges one code, mints one code, and both are told the same", async () => {
    const visit = await oauth.begin({ ...codeFlow, scopes: [] });
    await oauth.consent(visit, true, false);
    const code = github.code();
    const [a, b] = await Promise.all([oauth.callback(visit, code, CALLBACK), oauth.callback(visit, code, CALLBACK)]);
    expect(a).toEqual(b);
    expect(await oauth.callback(visit, code, CALLBACK)).toEqual(a);
    expect(github.exchanges).toBe(1);
  });

  test("another browser's cookie gets nowhere, and spoils nothing", async () => {
    const visit = await oauth.begin({ ...codeFlow, scopes: [] });
    const thief = { ...visit, cookie: "another" };
    expect(await oauth.consent(thief, true, false)).toEqual({ outcome: "other-browser" });
    expect(await oauth.callback(visit, github.code(), CALLBACK)).toEqual({ outcome: "not-approved" });
    await oauth.consent(visit, true, false);
    expect(await oauth.callback(thief, github.code(), CALLBACK)).toEqual({ outcome: "other-browser" });
    expect(github.exchanges).toBe(0);
    expect(await oauth.callback(visit, github.code(), CALLBACK)).toMatchObject({ outcome: "done" });
  });

  test("what has expired is swept away, and the alarm rests when nothing is left", async () => {
    const visit = await oauth.begin({ ...codeFlow, scopes: [] });
    const shard = env.OAUTH_STORE.getByName(`shard-${shardOfSecret("transaction", visit.transaction)}`);
    expect(await storedRecords()).toHaveLength(1);
    pass(HOUR);
    expect(await runDurableObjectAlarm(shard)).toBe(true);
    expect(await storedRecords()).toEqual([]);
    expect(await runDurableObjectAlarm(shard)).toBe(false);
  });
});

test("no secret stands in a key or a value", async () => {
  github.tokensExpireAt = Date.now() + 8 * HOUR;
  const visit = await oauth.begin({ ...codeFlow, scopes: [], clientState: "the-state-of-the-client" });
  await oauth.consent(visit, true, false);
  const r1 = await signIn();
  const r2 = await rotated(r1.refreshToken);
  const stored = JSON.stringify(await storedRecords());
  const secrets = [visit.transaction, visit.cookie, "the-state-of-the-client", VERIFIER, ...github.tokens.keys()];
  for (const pair of [r1, r2]) secrets.push(pair.accessToken, pair.refreshToken);
  for (const secret of secrets) expect(stored, secret).not.toContain(secret);
  expect(stored).not.toMatch(/ghwm_(at|rt|ac|tx|gs)_/);
});
