import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { MONA } from "../../../test/worker/fake-github.ts";
import {
  DAY,
  emptyShards,
  family,
  github,
  HOUR,
  MINUTE,
  oauth,
  pass,
  refresh,
  rotated,
  signIn,
} from "../../../test/worker/oauth/shards.ts";
import type { TokenPair } from "./grants.ts";

beforeEach(emptyShards);
afterEach(() => void vi.useRealTimers());

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
