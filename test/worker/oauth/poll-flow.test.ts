import { reset } from "cloudflare:test";
import { beforeEach, expect, test, vi } from "vitest";
import { shortCode } from "../../../worker/src/oauth/short-code.ts";
import { FakeGitHub } from "../fake-github.ts";
import {
  Browser,
  CHALLENGE,
  codeQuery,
  type Fetch,
  newWorker,
  POLL,
  pollQuery,
  REDIRECT,
  register,
  token,
  VERIFIER,
} from "./browser.ts";

const STATE = "state-of-the-bridge";

let github: FakeGitHub;
let fetch: Fetch;
let browser: Browser;
let clientId: string;

beforeEach(async () => {
  await reset();
  github = await new FakeGitHub().install();
  fetch = newWorker();
  browser = new Browser(fetch);
  ({ clientId } = await register(fetch, { client_name: "Bridge", grant_types: [POLL] }));
});

const poll = (change: Record<string, string> = {}, address?: string) =>
  token(fetch, { grant_type: POLL, client_id: clientId, state: STATE, code_verifier: VERIFIER, ...change }, address);

async function approve() {
  const visit = await browser.open(pollQuery(clientId, STATE));
  await browser.approve(visit.transaction);
  return { ...visit, done: await browser.callback(visit.transaction, github) };
}

test("poll before the browser, consent with the short code, approval, the pair, and then expired_token", async () => {
  const early = await poll();
  expect([early.status, early.body.error]).toEqual([400, "authorization_pending"]);
  const { page, done } = await approve();
  expect(page).toContain(shortCode(STATE, CHALLENGE));
  expect(page).toContain("a program that shows this code");
  expect(done.status).toBe(200);
  const closing = await done.text();
  expect(closing).toContain("close this tab");
  expect(closing).toContain("mona");
  const answer = await poll();
  expect(answer.status).toBe(200);
  expect(answer.body.scope).toBe("events:read events:write");
  const api = await fetch("/api/pending-status", { headers: { Authorization: `Bearer ${answer.body.access_token}` } });
  expect(api.status).toBe(200);
  expect((await poll()).body.error).toBe("expired_token");
});

test("5 polls at once on an approved state: one pair", async () => {
  await approve();
  const answers = await Promise.all(Array.from({ length: 5 }, () => poll()));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter(({ body }) => body.error === "expired_token")).toHaveLength(4);
});

test("a stolen state without its verifier gets nothing", async () => {
  await approve();
  const { code_verifier: _, ...without } = { grant_type: POLL, client_id: clientId, state: STATE, code_verifier: "" };
  expect((await token(fetch, without)).body.error).toBe("invalid_request");
  expect((await poll({ code_verifier: "w".repeat(43) })).body.error).toBe("invalid_grant");
  const other = await register(fetch, { grant_types: [POLL] });
  expect((await poll({ client_id: other.clientId })).body.error).toBe("invalid_grant");
  expect((await poll()).status).toBe(200);
});

test("a state that another client has begun is refused on a page, and stays the first's", async () => {
  await browser.open(pollQuery(clientId, STATE));
  const thief = await register(fetch, { client_name: "Thief", grant_types: [POLL] });
  const { response, page } = await browser.open(pollQuery(thief.clientId, STATE));
  expect([response.status, page.includes("in use")]).toEqual([400, true]);
  await approve();
  expect((await poll()).status).toBe(200);
});

test("a request without a challenge names both causes: the link was cut, or the bridge is too old", async () => {
  const cut: Record<string, string>[] = [{ client_id: clientId }, { client_id: clientId, state: STATE }];
  for (const query of cut) {
    const { response, page } = await browser.open(query);
    expect(response.status).toBe(400);
    expect(page).toContain("cut");
    expect(page).toContain("0.11.x");
  }
  const plain = { ...pollQuery(clientId, STATE), code_challenge_method: "plain" };
  expect((await browser.open(plain)).response.status).toBe(400);
});

test("only clients of the poll grant poll", async () => {
  const other = await register(fetch, { redirect_uris: [REDIRECT, "https://client.example/2"] });
  expect((await poll({ client_id: other.clientId })).body.error).toBe("unauthorized_client");
  expect((await browser.open(pollQuery(other.clientId, STATE))).response.status).toBe(400);
});

test("the page warns when the program polls from another address, an IPv6 /64 being one", async () => {
  await poll({}, "2001:db8:1:1::1");
  const same = new Browser(fetch, "2001:db8:1:1::2");
  expect((await same.open(pollQuery(clientId, STATE))).page).not.toContain("another network address");
  const other = new Browser(fetch, "2001:db8:1:2::1");
  expect((await other.open(pollQuery(clientId, STATE))).page).toContain("another network address");
});

test("consent approved in one browser and GitHub's link opened in another: no tokens, and it stays pending", async () => {
  const { transaction } = await browser.open(pollQuery(clientId, STATE));
  await browser.approve(transaction);
  const victim = new Browser(fetch);
  expect((await victim.callback(transaction, github)).status).toBe(400);
  expect((await poll()).body.error).toBe("authorization_pending");
});

test("denied on the page, and denied by GitHub: access_denied at once", async () => {
  const { transaction } = await browser.open(pollQuery(clientId, STATE));
  const page = await browser.post("/oauth/consent", { transaction, decision: "deny" });
  expect(await page.text()).toContain("not signed in");
  expect((await poll()).body.error).toBe("access_denied");

  const visit = await browser.open(pollQuery(clientId, "another-state"));
  await browser.approve(visit.transaction);
  await browser.get(`/oauth/callback?${new URLSearchParams({ code: "bad", state: visit.transaction })}`);
  expect((await poll({ state: "another-state" })).body.error).toBe("access_denied");
});

test("expired: nobody came within ten minutes", async () => {
  const { transaction } = await browser.open(pollQuery(clientId, STATE));
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 600_000 });
  try {
    expect((await poll()).body.error).toBe("expired_token");
    expect((await browser.approve(transaction)).status).toBe(400);
    expect((await browser.open(pollQuery(clientId, STATE))).page).toContain("is over");
  } finally {
    vi.useRealTimers();
  }
});

test("a client may have both grants", async () => {
  const both = await register(fetch, { redirect_uris: [REDIRECT], grant_types: [POLL, "authorization_code"] });
  expect((await browser.open(codeQuery(both.clientId))).response.status).toBe(200);
  expect((await browser.open(pollQuery(both.clientId, STATE))).response.status).toBe(200);
});
