/** Local mode's sign-in, over HTTP: one click, no GitHub. */
import { reset } from "cloudflare:test";
import { beforeEach, expect, test } from "vitest";
import { FakeGitHub } from "../fake-github.ts";
import {
  authorize,
  Browser,
  codeForm,
  codeQuery,
  type Fetch,
  newWorker,
  refreshForm,
  register,
  token,
} from "./browser.ts";

let github: FakeGitHub;

beforeEach(async () => {
  await reset();
  github = await new FakeGitHub().install();
});

const api = (accessToken: string, worker: Fetch) =>
  worker("/api/pending-status", { headers: { Authorization: `Bearer ${accessToken}` } });

const LOCAL = "http://127.0.0.1:8787";
const deployed = newWorker();
const local = (): Fetch => newWorker({ LOCAL_MODE: "1", PUBLIC_URL: LOCAL, GITHUB_CLIENT_ID: "" });

async function signInLocally(worker: Fetch) {
  const { clientId } = await register(worker);
  const { page, transaction, response } = await new Browser(worker).open(codeQuery(clientId));
  const cookie = response.headers.get("Set-Cookie")!;
  const done = await worker("/oauth/consent", {
    method: "POST",
    body: new URLSearchParams({ transaction, decision: "approve" }),
    headers: { Cookie: cookie.split(";")[0]!, Origin: LOCAL },
  });
  const query = new URL(done.headers.get("Location")!).searchParams;
  const answer = await token(worker, codeForm(clientId, query.get("code")!));
  return { clientId, page, cookie, query, ...answer };
}

test("one click signs in, without GitHub, and the token sees everything here and nothing deployed", async () => {
  const worker = local();
  const { clientId, page, cookie, query, status, body } = await signInLocally(worker);
  expect(page).toContain("local mode");
  expect(page).not.toContain("Continue to GitHub");
  expect(cookie).not.toContain("Secure");
  expect(query.get("iss")).toBe(LOCAL);
  expect(status).toBe(200);
  expect((await api(body.access_token, worker)).status).toBe(200);
  const refreshed = await token(worker, refreshForm(clientId, body.refresh_token));
  expect((await api(refreshed.body.access_token, worker)).status).toBe(200);
  expect(github.exchanges + github.reads).toBe(0);
  expect((await api(body.access_token, deployed)).status).toBe(401);
});

test("each loopback name is told its own name, and a token is good under all of them", async () => {
  const worker = local();
  const byName: Fetch = (path, init) => worker(new URL(path, "http://localhost:8787").href, init);
  const metadata = await (await byName("/.well-known/oauth-authorization-server")).json();
  expect(metadata).toMatchObject({ issuer: "http://localhost:8787" });
  const resource = await (await byName("/.well-known/oauth-protected-resource/mcp")).json();
  expect(resource).toMatchObject({ resource: "http://localhost:8787/mcp" });
  const { body } = await signInLocally(worker);
  expect((await api(body.access_token, byName)).status).toBe(200);
});

test("a token from GitHub does not count there", async () => {
  const { clientId } = await register(deployed);
  const query = await authorize(new Browser(deployed), github, codeQuery(clientId));
  const { body } = await token(deployed, codeForm(clientId, query.get("code")!));
  expect((await api(body.access_token, deployed)).status).toBe(200);
  expect((await api(body.access_token, local())).status).toBe(401);
});

test("a page of another origin can't approve", async () => {
  const worker = local();
  const { clientId } = await register(worker);
  const { transaction, response } = await new Browser(worker).open(codeQuery(clientId));
  const answer = await worker("/oauth/consent", {
    method: "POST",
    body: new URLSearchParams({ transaction, decision: "approve" }),
    headers: { Cookie: response.headers.get("Set-Cookie")!.split(";")[0]!, Origin: "https://evil.example" },
  });
  expect(answer.status).toBe(403);
});

test("the page of grants needs no sign-in", async () => {
  const worker = local();
  await signInLocally(worker);
  const start = await worker("/oauth/grants");
  const cookie = start.headers.get("Set-Cookie")!.split(";")[0]!;
  expect(await (await worker("/oauth/grants", { headers: { Cookie: cookie } })).text()).toContain("Client");
});
