import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { MONA } from "../../../test/worker/fake-github.ts";
import {
  approvedCode,
  emptyShards,
  github,
  HOUR,
  MINUTE,
  oauth,
  refresh,
  rotated,
  signIn,
} from "../../../test/worker/oauth/shards.ts";

beforeEach(emptyShards);
afterEach(() => void vi.useRealTimers());

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
    const approved = await approvedCode();
    await oauth.apply({ kind: "account-lost", accountId: 50, userId: 7 });
    const late = await oauth.redeemCode(approved);
    if (late.outcome !== "ok") throw new Error(late.outcome);
    expect((await oauth.check(late.pair.accessToken))?.access).toEqual([MONA.accounts[0]]);
    // What else has changed is read soon.
    expect(late.pair.accessExpiresAt - Date.now()).toBe(MINUTE);
    const next = await rotated(late.pair.refreshToken);
    expect(next.accessExpiresAt - Date.now()).toBe(HOUR);

    const gone = await approvedCode();
    await oauth.apply({ kind: "authorization-revoked", userId: 7 });
    expect(await oauth.redeemCode(gone)).toEqual({ outcome: "invalid_grant", reason: "revoked" });

    github.whileReading = () => oauth.apply({ kind: "account-lost", accountId: 50, userId: 7 });
    const overtaken = await oauth.redeemCode(await approvedCode());
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
