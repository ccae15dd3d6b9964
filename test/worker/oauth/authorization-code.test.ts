import { reset } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { FakeGitHub, MONA, storedRecords } from "../fake-github.ts";
import {
  authorize,
  Browser,
  codeForm,
  codeQuery,
  type Fetch,
  newWorker,
  ORIGIN,
  REDIRECT,
  refreshForm,
  register,
  token,
} from "./browser.ts";

let github: FakeGitHub;
let fetch: Fetch;
let browser: Browser;

beforeEach(async () => {
  await reset();
  github = await new FakeGitHub().install();
  fetch = newWorker();
  browser = new Browser(fetch);
});
afterEach(() => void vi.restoreAllMocks());

async function signIn(clientId: string, access = MONA) {
  const query = await authorize(browser, github, codeQuery(clientId), access);
  return token(fetch, codeForm(clientId, query.get("code")!));
}

const api = (accessToken: string, init: RequestInit = {}) =>
  fetch("/api/pending-status", { ...init, headers: { Authorization: `Bearer ${accessToken}` } });

describe("the way in", () => {
  test("register, consent, GitHub, callback, token, and the API answers", async () => {
    const { clientId } = await register(fetch);
    const { page, transaction, response } = await browser.open(codeQuery(clientId, { scope: "events:read" }));
    expect(response.status).toBe(200);
    expect(page).toContain("Client");
    expect(page).toContain("client.example");
    const toGitHub = new URL((await browser.approve(transaction)).headers.get("Location")!);
    expect(toGitHub.origin + toGitHub.pathname).toBe("https://github.com/login/oauth/authorize");
    expect(toGitHub.searchParams.get("redirect_uri")).toBe(`${ORIGIN}/oauth/callback`);
    expect(toGitHub.searchParams.get("prompt")).toBe("select_account");
    expect(toGitHub.searchParams.get("state")).not.toContain("client-state");
    const back = await browser.callback(toGitHub.searchParams.get("state")!, github);
    expect(back.status).toBe(302);
    const location = new URL(back.headers.get("Location")!);
    expect(location.origin + location.pathname).toBe(REDIRECT);
    expect(location.searchParams.get("iss")).toBe(ORIGIN);
    expect(location.searchParams.get("state")).toBe("client-state");
    const answer = await token(fetch, codeForm(clientId, location.searchParams.get("code")!));
    expect(answer.status).toBe(200);
    expect(answer.headers.get("Cache-Control")).toBe("no-store");
    expect(answer.body).toEqual({
      access_token: expect.stringMatching(/^ghwm_at_[\w-]{45}$/),
      token_type: "Bearer",
      expires_in: expect.any(Number),
      refresh_token: expect.stringMatching(/^ghwm_rt_[\w-]{45}$/),
      scope: "events:read",
    });
    expect(Number(answer.body.expires_in)).toBeGreaterThan(3_590);
    expect((await api(answer.body.access_token)).status).toBe(200);
    const refreshed = await token(fetch, refreshForm(clientId, answer.body.refresh_token));
    expect((await api(refreshed.body.access_token)).status).toBe(200);
  });

  test("without the scope to mark, marking is 403 with a challenge", async () => {
    const { clientId } = await register(fetch);
    const query = await authorize(browser, github, codeQuery(clientId, { scope: "events:read" }));
    const { body } = await token(fetch, codeForm(clientId, query.get("code")!));
    const answer = await fetch("/api/mark-processed", {
      method: "POST",
      body: JSON.stringify({ event_ids: ["x"] }),
      headers: { Authorization: `Bearer ${body.access_token}`, "Content-Type": "application/json" },
    });
    expect(answer.status).toBe(403);
    expect(answer.headers.get("WWW-Authenticate")).toContain('error="insufficient_scope"');
  });

  test("the state comes back byte for byte: + as %2B, nothing encoded twice (case 5)", async () => {
    const { clientId } = await register(fetch);
    const query = new URLSearchParams(codeQuery(clientId)).toString().replace("client-state", "a%2Bb%2Fc%3D%3D");
    const page = await (await browser.get(`/oauth/authorize?${query}`)).text();
    const transaction = /name="transaction" value="([^"]+)"/.exec(page)![1]!;
    await browser.approve(transaction);
    const location = (await browser.callback(transaction, github)).headers.get("Location")!;
    expect(location).toContain("state=a%2Bb%2Fc%3D%3D");
    expect(new URL(location).searchParams.get("state")).toBe("a+b/c==");
  });

  test("two tabs: the first form works, and its duplicate is told the same (case 7)", async () => {
    const { clientId } = await register(fetch);
    const first = await browser.open(codeQuery(clientId));
    await browser.open(codeQuery(clientId));
    const [a, b] = [await browser.approve(first.transaction), await browser.approve(first.transaction)];
    expect(a.headers.get("Location")).toBe(b.headers.get("Location"));
    const one = await browser.callback(first.transaction, github);
    const two = await browser.callback(first.transaction, github);
    expect(one.headers.get("Location")).toBe(two.headers.get("Location"));
    const replay = await browser.approve(first.transaction);
    expect(replay.headers.get("Location")).toBe(one.headers.get("Location"));
    const codes = (await storedRecords()).filter(([, value]) => (value as { kind?: string }).kind === "code");
    expect(codes).toHaveLength(1);
  });

  test("the consent page has no form-action, can't be framed, and runs no script (case 6)", async () => {
    const { clientId } = await register(fetch);
    const { response, page } = await browser.open(codeQuery(clientId));
    const policy = response.headers.get("Content-Security-Policy")!;
    expect(policy).not.toContain("form-action");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("default-src 'none'");
    expect(response.headers.get("X-Frame-Options")).toBe("DENY");
    expect(response.headers.get("Referrer-Policy")).toBe("same-origin");
    expect(page).not.toContain("<script");
    const cookie = response.headers.get("Set-Cookie")!;
    expect(cookie).toMatch(/^__Host-ghwm_visit_/);
    for (const attribute of ["HttpOnly", "Secure", "SameSite=Lax", "Path=/"]) expect(cookie).toContain(attribute);
  });

  test.each([
    ["openid email profile offline_access events:read", "events:read"],
    ["openid email", "events:read events:write"],
    ["", "events:read events:write"],
    ["code:read events:write events:read", "events:read events:write code:read"],
  ])("unknown scopes are dropped: %j grants %j (case 10)", async (scope, granted) => {
    const { clientId } = await register(fetch);
    const query = await authorize(browser, github, codeQuery(clientId, { scope }));
    const { body } = await token(fetch, codeForm(clientId, query.get("code")!));
    expect(body.scope).toBe(granted);
    expect(body.refresh_token).toBeTruthy();
  });

  test.each([`${ORIGIN}/`, ORIGIN, `${ORIGIN}/mcp`, `${ORIGIN}/mcp/`, "https://HOOKS.EXAMPLE/mcp"])(
    "resource %s is ours (case 11)",
    async (resource) => {
      const { clientId } = await register(fetch);
      const query = await authorize(browser, github, codeQuery(clientId, { resource }));
      const answer = await token(fetch, codeForm(clientId, query.get("code")!, { resource }));
      expect(answer.status).toBe(200);
      expect((await api(answer.body.access_token)).status).toBe(200);
      const other = newWorker({ PUBLIC_URL: "https://other.example" });
      const elsewhere = await other("/api/pending-status", {
        headers: { Authorization: `Bearer ${answer.body.access_token}` },
      });
      expect(elsewhere.status).toBe(401);
    },
  );

  test("a foreign resource is invalid_target everywhere, and spends nothing (case 11)", async () => {
    const { clientId } = await register(fetch);
    const resource = "https://other.example/mcp";
    const { response } = await browser.open(codeQuery(clientId, { resource }));
    expect(new URL(response.headers.get("Location")!).searchParams.get("error")).toBe("invalid_target");
    const query = await authorize(browser, github, codeQuery(clientId));
    const form = codeForm(clientId, query.get("code")!);
    expect((await token(fetch, { ...form, resource })).body.error).toBe("invalid_target");
    const { body } = await token(fetch, form);
    const refresh = refreshForm(clientId, body.refresh_token);
    expect((await token(fetch, { ...refresh, resource })).body.error).toBe("invalid_target");
    expect((await token(fetch, refresh)).status).toBe(200);
  });

  test("a client that is no longer known: a page for people, invalid_client for programs (case 8)", async () => {
    const { clientId } = await register(fetch);
    const { body } = await signIn(clientId);
    const gone = `${clientId}x`;
    const { response, page } = await browser.open(codeQuery(gone));
    expect([response.status, response.headers.get("Content-Type")]).toEqual([400, "text/html; charset=utf-8"]);
    expect(page).toContain("add it again");
    for (const form of [codeForm(gone, "x"), refreshForm(gone, body.refresh_token)]) {
      const answer = await token(fetch, form);
      expect([answer.status, answer.body.error]).toEqual([401, "invalid_client"]);
    }
  });
});

describe("GitHub's answers", () => {
  test("a code that GitHub refuses is an error redirect at once (case 22)", async () => {
    const { clientId } = await register(fetch);
    const { transaction } = await browser.open(codeQuery(clientId));
    await browser.approve(transaction);
    const back = await browser.get(`/oauth/callback?${new URLSearchParams({ code: "bad", state: transaction })}`);
    expect(new URL(back.headers.get("Location")!).searchParams.get("error")).toBe("access_denied");
  });

  test("a no at GitHub is access_denied; so is one on our page", async () => {
    const { clientId } = await register(fetch);
    const { transaction } = await browser.open(codeQuery(clientId));
    await browser.approve(transaction);
    const back = await browser.get(`/oauth/callback?error=access_denied&state=${transaction}`);
    expect(new URL(back.headers.get("Location")!).searchParams.get("error")).toBe("access_denied");
    const other = await browser.open(codeQuery(clientId));
    const denied = await browser.post("/oauth/consent", { transaction: other.transaction, decision: "deny" });
    const query = new URL(denied.headers.get("Location")!).searchParams;
    expect([query.get("error"), query.get("state"), query.get("iss")]).toEqual([
      "access_denied",
      "client-state",
      ORIGIN,
    ]);
  });

  test("GitHub down: temporarily_unavailable to the client; at refresh 503 with the token unspent (case 18)", async () => {
    const { clientId } = await register(fetch);
    const { body } = await signIn(clientId);
    github.down = true;
    const { transaction } = await browser.open(codeQuery(clientId));
    await browser.approve(transaction);
    const back = await browser.callback(transaction, github);
    expect(new URL(back.headers.get("Location")!).searchParams.get("error")).toBe("temporarily_unavailable");
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 5 * 3_600_000 });
    try {
      const refused = await token(fetch, refreshForm(clientId, body.refresh_token));
      expect([refused.status, refused.body.error]).toEqual([503, "temporarily_unavailable"]);
      expect(refused.headers.get("Retry-After")).toBe("30");
      github.down = false;
      expect((await token(fetch, refreshForm(clientId, body.refresh_token))).status).toBe(200);
    } finally {
      vi.useRealTimers();
    }
  });
});

test("an expired access token is 401 invalid_token, and the refreshed one works on (case 19)", async () => {
  const { clientId } = await register(fetch);
  const { body } = await signIn(clientId);
  expect((await api(body.access_token)).status).toBe(200);
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3_600_000 });
  try {
    const expired = await api(body.access_token);
    expect(expired.status).toBe(401);
    expect(expired.headers.get("WWW-Authenticate")).toContain('error="invalid_token"');
    const refreshed = await token(fetch, refreshForm(clientId, body.refresh_token));
    expect((await api(refreshed.body.access_token)).status).toBe(200);
  } finally {
    vi.useRealTimers();
  }
});

test("two addresses refresh the same token, at once and 50 s apart: one pair, and the grant lives (case 16)", async () => {
  const { clientId } = await register(fetch);
  const { body } = await signIn(clientId);
  const form = refreshForm(clientId, body.refresh_token);
  const [a, b] = await Promise.all([token(fetch, form, "160.79.104.1"), token(fetch, form, "160.79.104.2")]);
  expect(b.body.refresh_token).toBe(a.body.refresh_token);
  expect((await api(a.body.access_token)).status).toBe(200);
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 50_000 });
  try {
    const late = await token(fetch, form, "160.79.104.2");
    expect(late.body.refresh_token).toBe(a.body.refresh_token);
  } finally {
    vi.useRealTimers();
  }
});

test("no secret is in any log or stored record of a whole run", async () => {
  const lines: string[] = [];
  for (const level of ["log", "info", "warn", "error", "debug"] as const) {
    vi.spyOn(console, level).mockImplementation((...args) => void lines.push(args.map(String).join(" ")));
  }
  const { clientId } = await register(fetch);
  const query = await authorize(browser, github, codeQuery(clientId));
  const { body } = await token(fetch, codeForm(clientId, query.get("code")!));
  const next = await token(fetch, refreshForm(clientId, body.refresh_token));
  await api(next.body.access_token);
  await token(fetch, codeForm(clientId, query.get("code")!));
  const kept = JSON.stringify(await storedRecords()) + lines.join("\n");
  for (const secret of [
    query.get("code")!,
    body.access_token,
    body.refresh_token,
    next.body.access_token,
    next.body.refresh_token,
    "client-state",
    ...browser.cookies.values(),
    ...github.tokens.keys(),
  ]) {
    expect(kept).not.toContain(secret);
  }
  expect(kept).not.toMatch(/ghwm_(at|rt|ac|tx|gs)_/);
});
