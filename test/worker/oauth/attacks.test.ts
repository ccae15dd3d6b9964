/** Attacks on sign-in, over HTTP. Those on client metadata documents are in clients.test.ts, on poll flows in poll-flow.test.ts. */
import { reset } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { FakeGitHub, MONA } from "../fake-github.ts";
import {
  authorize,
  Browser,
  CHALLENGE,
  codeForm,
  codeQuery,
  type Fetch,
  newWorker,
  ORIGIN,
  POLL,
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
afterEach(() => void vi.useRealTimers());

const pass = (ms: number) => vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + ms });

const api = (accessToken: string) =>
  fetch("/api/pending-status", { headers: { Authorization: `Bearer ${accessToken}` } });

async function signIn(clientId: string) {
  const query = await authorize(browser, github, codeQuery(clientId));
  return (await token(fetch, codeForm(clientId, query.get("code")!))).body;
}

test("a code is good once; used again, its tokens end", async () => {
  const { clientId } = await register(fetch);
  const query = await authorize(browser, github, codeQuery(clientId));
  const form = codeForm(clientId, query.get("code")!);
  const first = await token(fetch, form);
  const again = await token(fetch, form);
  expect([again.status, again.body.error]).toEqual([400, "invalid_grant"]);
  expect((await api(first.body.access_token)).status).toBe(401);
  expect((await token(fetch, refreshForm(clientId, first.body.refresh_token))).body.error).toBe("invalid_grant");
});

test("wrong verifier, missing verifier, another client's code", async () => {
  const { clientId } = await register(fetch);
  const other = await register(fetch);
  const query = await authorize(browser, github, codeQuery(clientId));
  const form = codeForm(clientId, query.get("code")!);
  expect((await token(fetch, { ...form, code_verifier: "w".repeat(43) })).body.error).toBe("invalid_grant");
  const { code_verifier: _, ...without } = form;
  expect((await token(fetch, without)).body.error).toBe("invalid_request");
  expect((await token(fetch, { ...form, client_id: other.clientId })).body.error).toBe("invalid_grant");
  expect((await token(fetch, { ...form, redirect_uri: `${REDIRECT}/` })).body.error).toBe("invalid_grant");
  const { body } = await token(fetch, form);
  expect((await token(fetch, refreshForm(other.clientId, body.refresh_token))).body.error).toBe("invalid_grant");
  expect((await token(fetch, refreshForm(clientId, body.refresh_token))).status).toBe(200);
});

test.each([
  ["no challenge", { code_challenge: "" }, "invalid_request"],
  ["plain", { code_challenge_method: "plain" }, "invalid_request"],
  ["no method, which means plain", { code_challenge_method: "" }, "invalid_request"],
  ["a challenge of another length", { code_challenge: "abc" }, "invalid_request"],
  ["the implicit flow", { response_type: "token" }, "unsupported_response_type"],
])("%s is refused by redirect, with state and iss", async (_, change, error) => {
  const { clientId } = await register(fetch);
  const { response } = await browser.open(codeQuery(clientId, change as unknown as Record<string, string>));
  const location = new URL(response.headers.get("Location")!);
  expect(location.origin + location.pathname).toBe(REDIRECT);
  expect(Object.fromEntries(location.searchParams)).toEqual({
    error,
    error_description: expect.any(String),
    state: "client-state",
    iss: ORIGIN,
  });
});

test.each([
  "https://client.example/cb/",
  "https://client.example/cb2",
  "https://client.example/cb?x=1",
  "https://client.example:444/cb",
  "http://client.example/cb",
  "https://user@client.example/cb",
  "https://client.example@evil.example/cb",
  "https://client.example.evil.example/cb",
  "https://client.example/cb/../open?to=https://evil.example",
  "https://client.example/cb#x",
  "https://CLIENT.example/cb",
  "javascript:alert(1)",
  "https://client.example/cb\r\nSet-Cookie: x=1",
  "//client.example/cb",
])("redirect URI %j is not the registered one: a page, and no redirect", async (redirect_uri) => {
  const { clientId } = await register(fetch);
  const { response } = await browser.open(codeQuery(clientId, { redirect_uri }));
  expect([response.status, response.headers.get("Location")]).toEqual([400, null]);
});

test("on loopback any port is the registered one, another path or host is not (case 4)", async () => {
  const registered = ["http://localhost/callback", "http://127.0.0.1/callback", "http://[::1]:7/callback"];
  const { clientId } = await register(fetch, { redirect_uris: registered });
  for (const redirect_uri of [
    "http://localhost:58135/callback",
    "http://127.0.0.1:58135/callback",
    "http://[::1]:58135/callback",
  ]) {
    const { transaction } = await browser.open(codeQuery(clientId, { redirect_uri }));
    await browser.approve(transaction);
    const back = await browser.callback(transaction, github);
    expect(back.headers.get("Location")!.startsWith(`${redirect_uri}?code=`)).toBe(true);
  }
  for (const redirect_uri of [
    "http://localhost:58135/other",
    "http://localhost:58135/x/../callback",
    "http://127.0.0.2:58135/callback",
    "http://localhost.evil.example/callback",
    "http://localhost:58135@evil.example/callback",
    "https://localhost:58135/callback",
  ]) {
    expect((await browser.open(codeQuery(clientId, { redirect_uri }))).response.status, redirect_uri).toBe(400);
  }
});

test("consent can't be given by another site, without the cookie, or with another browser's", async () => {
  const { clientId } = await register(fetch);
  const { transaction } = await browser.open(codeQuery(clientId));
  const fields = { transaction, decision: "approve" };
  const foreign = await browser.post("/oauth/consent", fields, { Origin: "https://evil.example" });
  expect(foreign.status).toBe(403);
  const bare = new Browser(fetch);
  expect((await bare.post("/oauth/consent", fields)).status).toBe(400);
  const other = new Browser(fetch);
  await other.open(codeQuery(clientId));
  for (const value of other.cookies.values()) for (const name of browser.cookies.keys()) other.cookies.set(name, value);
  expect((await other.post("/oauth/consent", fields)).status).toBe(400);
  expect((await browser.post("/oauth/consent", fields)).status).toBe(302);
});

test("consent approved in one browser and GitHub's link opened in another: no code, nothing spent", async () => {
  const { clientId } = await register(fetch);
  const { transaction } = await browser.open(codeQuery(clientId));
  await browser.approve(transaction);
  const victim = new Browser(fetch);
  const refused = await victim.callback(transaction, github);
  expect(refused.status).toBe(400);
  expect(await refused.text()).toContain("begun elsewhere");
  expect(github.exchanges).toBe(0);
  expect((await browser.callback(transaction, github)).status).toBe(302);
});

test("no callback counts before the consent", async () => {
  const { clientId } = await register(fetch);
  const { transaction } = await browser.open(codeQuery(clientId));
  expect((await browser.callback(transaction, github)).status).toBe(400);
  expect(github.exchanges).toBe(0);
});

test("a parameter that comes twice is refused", async () => {
  const { clientId } = await register(fetch);
  const query = new URLSearchParams(codeQuery(clientId));
  query.append("redirect_uri", "https://evil.example");
  expect((await browser.get(`/oauth/authorize?${query}`)).status).toBe(400);
  const twice = await fetch("/oauth/token", {
    method: "POST",
    body: "grant_type=refresh_token&grant_type=authorization_code",
    headers: { "Content-Type": "application/x-www-form-urlencoded" },
  });
  expect([twice.status, ((await twice.json()) as { error: string }).error]).toEqual([400, "invalid_request"]);
});

test("a name or a login with markup is text", async () => {
  const evil = `<script>alert(1)</script>"'><img src=x>\u202e`;
  const { clientId } = await register(fetch, {
    redirect_uris: [REDIRECT],
    client_name: evil,
    grant_types: [POLL, "authorization_code"],
  });
  const { page } = await browser.open(codeQuery(clientId));
  expect(page).not.toContain("<script");
  expect(page).not.toContain("<img");
  expect(page).not.toContain("\u202e");
  const state = "state-of-the-bridge";
  const poll = await browser.open({
    client_id: clientId,
    state,
    code_challenge: CHALLENGE,
    code_challenge_method: "S256",
  });
  await browser.approve(poll.transaction);
  const done = await browser.callback(poll.transaction, github, { ...MONA, login: evil });
  expect(await done.text()).not.toContain("<img");
});

test("a name of any length is one line of at most 80 characters, which shows that it was cut", async () => {
  const { body } = await register(fetch, {
    redirect_uris: [REDIRECT],
    client_name: `${"a".repeat(78)} ${"b".repeat(9)}`,
  });
  expect(body.client_name).toBe(`${"a".repeat(78)}…`);
});

test("what GitHub's answer or a state says stands in no page and makes no header", async () => {
  const { clientId } = await register(fetch);
  const evil = "<img src=x>\r\nSet-Cookie: evil=1";
  const { transaction } = await browser.open(codeQuery(clientId, { state: evil }));
  await browser.approve(transaction);
  const query = new URLSearchParams({ error: evil, error_description: evil, state: transaction });
  const back = await browser.get(`/oauth/callback?${query}`);
  const location = back.headers.get("Location")!;
  expect(location).toMatch(/^[\x21-\x7e]+$/);
  expect(new URL(location).searchParams.get("state")).toBe(evil);
  expect(location).not.toContain("error_description=%3Cimg");
  expect(back.headers.get("Set-Cookie") ?? "").not.toContain("evil");
  const stray = await browser.get(`/oauth/callback?${new URLSearchParams({ error: evil, state: evil })}`);
  expect([stray.status, (await stray.text()).includes("<img")]).toEqual([400, false]);
});

describe("a refresh token", () => {
  test("that is replayed a minute after its successor was used ends its grant, and no sibling", async () => {
    const { clientId } = await register(fetch);
    const [stolen, sibling] = [await signIn(clientId), await signIn(clientId)];
    const next = await token(fetch, refreshForm(clientId, stolen.refresh_token));
    expect((await api(next.body.access_token)).status).toBe(200);
    pass(61_000);
    const replay = await token(fetch, refreshForm(clientId, stolen.refresh_token));
    expect([replay.status, replay.body.error]).toEqual([400, "invalid_grant"]);
    expect((await api(next.body.access_token)).status).toBe(401);
    expect((await token(fetch, refreshForm(clientId, next.body.refresh_token))).body.error).toBe("invalid_grant");
    expect((await api(sibling.access_token)).status).toBe(200);
  });

  test("whose 30 days are over is invalid_grant", async () => {
    const { clientId } = await register(fetch);
    const { refresh_token: refreshToken } = await signIn(clientId);
    pass(30 * 24 * 3_600_000);
    expect((await token(fetch, refreshForm(clientId, refreshToken))).body.error).toBe("invalid_grant");
  });
});

test("a code lives a minute, a visit ten", async () => {
  const { clientId } = await register(fetch);
  const query = await authorize(browser, github, codeQuery(clientId));
  const visit = await browser.open(codeQuery(clientId));
  const approved = await browser.open(codeQuery(clientId));
  await browser.approve(approved.transaction);
  pass(60_000);
  expect((await token(fetch, codeForm(clientId, query.get("code")!))).body.error).toBe("invalid_grant");
  pass(540_000);
  expect((await browser.approve(visit.transaction)).status).toBe(400);
  expect((await browser.callback(approved.transaction, github)).status).toBe(400);
  expect(github.exchanges).toBe(1);
});
