import { env, runDurableObjectAlarm } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { storedRecords } from "../../../test/worker/fake-github.ts";
import {
  approve,
  approvedCode,
  CALLBACK,
  CHALLENGE,
  codeFlow,
  emptyShards,
  family,
  github,
  HOUR,
  MINUTE,
  oauth,
  pass,
  rotated,
  signIn,
  VERIFIER,
} from "../../../test/worker/oauth/shards.ts";
import { hashOf, shardOfSecret } from "./secrets.ts";

beforeEach(emptyShards);
afterEach(() => void vi.useRealTimers());

describe("authorization codes", () => {
  test("are good once; used again, they end what came of them", async () => {
    const request = await approvedCode();
    const first = await oauth.redeemCode(request);
    if (first.outcome !== "ok") throw new Error(first.outcome);
    expect(await oauth.redeemCode(request)).toEqual({ outcome: "invalid_grant", reason: "reused" });
    expect(await oauth.check(first.pair.accessToken)).toBeNull();
  });

  test("are refused to another client, verifier or redirect URI, and stay good", async () => {
    const request = await approvedCode();
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
    const request = await approvedCode();
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
