/** The client against the stand-in GitHub, over HTTP. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type StandInGitHub, startGitHub } from "../../../test/github/start.ts";
import { SMALL_WORLD } from "../../../test/github/worlds.ts";
import { userGitHub } from "./user-github.ts";

const CALLBACK = "http://127.0.0.1:8787/oauth/callback";

let github: StandInGitHub;

beforeAll(async () => {
  github = await startGitHub(SMALL_WORLD, { callbackUrls: [CALLBACK], tokenLifetimeSeconds: 28_800 });
});
afterEach(() => github.faults.set());
afterAll(() => github.close());

function client(overrides: { githubUrl?: string; githubApiUrl?: string; githubClientSecret?: string | null } = {}) {
  return userGitHub(
    {
      githubUrl: github.url,
      githubApiUrl: github.apiUrl,
      githubClientId: github.app.clientId,
      githubClientSecret: github.app.clientSecret,
      ...overrides,
    },
    { timeoutMs: 500 },
  );
}

/** A code, as the browser brings it back from GitHub. */
async function codeOf(login: string): Promise<string> {
  const form = { login, client_id: github.app.clientId, redirect_uri: CALLBACK, state: "s" };
  const url = `${github.url}/login/oauth/callback`;
  const answer = await fetch(url, { method: "POST", body: new URLSearchParams(form), redirect: "manual" });
  return new URL(answer.headers.get("location")!).searchParams.get("code")!;
}

async function accessOf(login: string) {
  const answer = await client().access(await github.tokens.issue(login));
  if (answer.outcome !== "ok") throw new Error(answer.reason);
  return answer.value;
}

const idOf = (name: string) => github.world.repository(name).id;

describe("access", () => {
  it("is everything for the own account and for owned organizations, installed and not suspended", async () => {
    const mona = github.world.account("mona");
    const acme = github.world.account("acme");
    expect(await accessOf("mona")).toEqual({
      userId: mona.id,
      login: "mona",
      accounts: [
        { accountId: mona.id, login: "mona", repositories: "all", orgOwner: true },
        { accountId: acme.id, login: "acme", repositories: "all", orgOwner: true },
      ],
    });
  });

  it("is the one repository that an outside collaborator works on", async () => {
    const { accounts } = await accessOf("guest");
    const [own, acme, ...others] = accounts;
    expect(own).toMatchObject({ login: "guest", repositories: "all" });
    expect(acme).toEqual({
      accountId: github.world.account("acme").id,
      login: "acme",
      repositories: [idOf("acme/website")],
      orgOwner: false,
    });
    expect(others).toEqual([]);
  });

  it("is what a member may read, which can be nothing but what they collaborate on", async () => {
    const { accounts } = await accessOf("hubot");
    expect(accounts.slice(1).map(({ login, repositories, orgOwner }) => ({ login, repositories, orgOwner }))).toEqual([
      { login: "acme", repositories: ["acme/rocket", "acme/website", "acme/payroll"].map(idOf), orgOwner: false },
      { login: "globex", repositories: [idOf("globex/manual")], orgOwner: false },
    ]);
  });

  it("follows what changes at GitHub", async () => {
    const seen = async () => (await accessOf("guest")).accounts.map(({ login, repositories }) => [login, repositories]);
    const before = await seen();

    await github.change({ kind: "add-collaborator", repository: "acme/rocket", user: "guest" });
    expect((await seen())[1]).toEqual(["acme", [idOf("acme/rocket"), idOf("acme/website")]]);
    await github.change({ kind: "deselect", account: "acme", repositories: ["website"] });
    expect((await seen())[1]).toEqual(["acme", [idOf("acme/rocket")]]);
    await github.change({ kind: "suspend", account: "acme" });
    expect(await seen()).toHaveLength(1);
    await github.change({ kind: "unsuspend", account: "acme" });
    await github.change({ kind: "remove-collaborator", repository: "acme/rocket", user: "guest" });
    expect(await seen()).toHaveLength(1);

    const organization = { login: "newcomer", members: ["guest"] };
    await github.change({ kind: "new-organization", organization, repositories: ["first"] });
    expect((await seen())[1]).toEqual(["newcomer", [idOf("newcomer/first")]]);
    await github.change({ kind: "uninstall", account: "newcomer" });
    expect(await seen()).toHaveLength(1);
    expect(before).toHaveLength(2);
  });

  it("reads where an App that may not see members leaves everybody a non-owner", async () => {
    github.faults.set({ kind: "forbidden", path: "/user/memberships/orgs" });
    const { accounts } = await accessOf("mona");
    expect(accounts[1]).toMatchObject({ login: "acme", repositories: [expect.any(Number), expect.any(Number)] });
    expect(accounts.every(({ accountId, orgOwner }) => !orgOwner || accountId === accounts[0]?.accountId)).toBe(true);
  });

  it("leaves out what an organization keeps from this session, and reads the rest", async () => {
    const { id } = github.world.installation("globex");
    github.faults.set({ kind: "forbidden", path: `/user/installations/${id}/repositories` });
    const { accounts } = await accessOf("hubot");
    expect(accounts.find(({ login }) => login === "globex")?.repositories).toEqual([]);
    expect(accounts.find(({ login }) => login === "acme")?.repositories).not.toEqual([]);
  });

  it("is refused for a token that was revoked, has expired or never was", async () => {
    const token = await github.tokens.issue("guest");
    expect(await client().access(token)).toMatchObject({ outcome: "ok" });
    await github.change({ kind: "revoke-authorization", user: "guest" });
    expect(await client().access(token)).toEqual({ outcome: "refused", reason: "GET /user: status 401" });
    expect(await client().access("never-was")).toMatchObject({ outcome: "refused" });

    const expired = await github.tokens.issue("hubot");
    github.tokens.expireAll();
    expect(await client().access(expired)).toMatchObject({ outcome: "refused" });
  });

  it("is asked for with paths of github.com, too", async () => {
    const token = await github.tokens.issue("mona");
    expect(await client({ githubApiUrl: github.url }).access(token)).toMatchObject({ outcome: "ok" });
  });
});

describe("a GitHub that gives no usable answer to a question about access", () => {
  const paths = ["/user", "/user/installations", "/user/memberships/orgs", "/user/installations/"];
  const cases = [
    ["down", "no answer", null],
    ["slow", "no answer in time", null],
    ["rate-limit", "status 403, rate limited", 1_200],
    ["secondary-rate-limit", "status 429, rate limited", 45],
    ["server-error", "status 502", null],
    ["html", "not the expected answer", null],
    ["garbage", "not the expected answer", null],
    ["truncated", "not the expected answer", null],
    ["redirect", "status 302", null],
    ["proxy-unauthorized", "status 401", null],
  ] as const;

  for (const [kind, what, retryAfterSeconds] of cases) {
    it.each(paths)(`${kind} is unavailable, at %s`, async (path) => {
      const token = await github.tokens.issue("hubot");
      // Only the list below the path of one installation, or only the path itself.
      github.faults.set({ kind, path, delayMs: 700 });
      const answer = await client().access(token);
      expect(answer).toMatchObject({ outcome: "unavailable", reason: expect.stringContaining(what) });
      const wait = answer.outcome === "unavailable" ? answer.retryAfterSeconds : undefined;
      if (retryAfterSeconds === null) expect(wait).toBeNull();
      else expect(Math.abs((wait ?? 0) - retryAfterSeconds)).toBeLessThanOrEqual(2);
      expect(JSON.stringify(answer)).not.toContain(token);
    });
  }

  it("is nothing of the user's, where the address is wrong", async () => {
    const token = await github.tokens.issue("hubot");
    github.faults.set({ kind: "not-found", path: "/user" });
    expect(await client().access(token)).toMatchObject({ outcome: "unavailable" });
  });

  it("is unavailable where nothing listens", async () => {
    const answer = await client({ githubApiUrl: "http://127.0.0.1:9" }).access("token");
    expect(answer).toEqual({ outcome: "unavailable", reason: "GET /user: no answer", retryAfterSeconds: null });
  });
});

describe("a user token", () => {
  it("is given for a code, once", async () => {
    const code = await codeOf("mona");
    const asked = Date.now();
    const answer = await client().exchangeCode(code, CALLBACK);
    if (answer.outcome !== "ok") throw new Error(answer.reason);
    const { accessToken, expiresAt, refreshToken, refreshTokenExpiresAt } = answer.value;
    expect(await client().access(accessToken)).toMatchObject({ outcome: "ok", value: { login: "mona" } });
    expect(refreshToken).toMatch(/^ghr_/);
    expect(Math.abs(expiresAt! - asked - 28_800_000)).toBeLessThan(2_000);
    expect(refreshTokenExpiresAt).toBeGreaterThan(expiresAt!);

    expect(await client().exchangeCode(code, CALLBACK)).toEqual({
      outcome: "refused",
      reason: "user token: bad_verification_code",
    });
  });

  it("is renewed, once for each refresh token", async () => {
    const first = await client().exchangeCode(await codeOf("mona"), CALLBACK);
    if (first.outcome !== "ok") throw new Error(first.reason);
    github.tokens.expireAll();
    const second = await client().refreshUserToken(first.value.refreshToken!);
    if (second.outcome !== "ok") throw new Error(second.reason);
    expect(await client().access(second.value.accessToken)).toMatchObject({ outcome: "ok", value: { login: "mona" } });
    expect(await client().refreshUserToken(first.value.refreshToken!)).toEqual({
      outcome: "refused",
      reason: "user token: bad_refresh_token",
    });
  });

  it("is not lost to a wrong setting of ours: nothing is known about the user then", async () => {
    const code = await codeOf("mona");
    const wrong = client({ githubClientSecret: "wrong" });
    expect(await wrong.exchangeCode(code, CALLBACK)).toEqual({
      outcome: "unavailable",
      reason: "user token: incorrect_client_credentials",
      retryAfterSeconds: null,
    });
    expect(await client().exchangeCode(code, "http://127.0.0.1:8787/other")).toMatchObject({
      outcome: "unavailable",
      reason: "user token: redirect_uri_mismatch",
    });
    expect(await client({ githubClientSecret: null }).exchangeCode(code, CALLBACK)).toMatchObject({
      outcome: "unavailable",
      reason: expect.stringContaining("GITHUB_CLIENT_SECRET"),
    });
  });

  it.each([
    ["down", "no answer"],
    ["slow", "no answer in time"],
    ["rate-limit", "rate limited"],
    ["server-error", "status 502"],
    ["html", "not the expected answer"],
    ["garbage", "not the expected answer"],
    ["truncated", "not the expected answer"],
    ["redirect", "status 302"],
    ["not-found", "status 404"],
  ] as const)("is unavailable when GitHub is %s", async (kind, what) => {
    const code = await codeOf("mona");
    github.faults.set({ kind, path: "/login/oauth/access_token", delayMs: 700 });
    const answer = await client().exchangeCode(code, CALLBACK);
    expect(answer).toMatchObject({ outcome: "unavailable", reason: expect.stringContaining(what) });
    expect(JSON.stringify(answer)).not.toContain(code);
    expect(JSON.stringify(answer)).not.toContain(github.app.clientSecret);
  });
});
