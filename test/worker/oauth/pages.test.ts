import { reset } from "cloudflare:test";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { FakeGitHub, MONA, storedRecords } from "../fake-github.ts";
import {
  authorize,
  Browser,
  codeForm,
  codeQuery,
  type Fetch,
  newWorker,
  ORIGIN,
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

async function signIn(access = MONA, name = "Client") {
  const { clientId } = await register(fetch, { redirect_uris: ["https://client.example/cb"], client_name: name });
  const query = await authorize(new Browser(fetch), github, codeQuery(clientId), access);
  const { body } = await token(fetch, codeForm(clientId, query.get("code")!));
  return { clientId, ...body };
}

const api = (accessToken: string, worker = newWorker()) =>
  worker("/api/pending-status", { headers: { Authorization: `Bearer ${accessToken}` } });

describe("metadata", () => {
  test.each([ORIGIN, `${ORIGIN}/`])(
    "for PUBLIC_URL %s, issuer, iss and authorization server are one (case 13)",
    async (PUBLIC_URL) => {
      const worker = newWorker({ PUBLIC_URL });
      const server = await (await worker("/.well-known/oauth-authorization-server")).json();
      expect(server).toEqual({
        issuer: ORIGIN,
        authorization_endpoint: `${ORIGIN}/oauth/authorize`,
        token_endpoint: `${ORIGIN}/oauth/token`,
        registration_endpoint: `${ORIGIN}/oauth/register`,
        revocation_endpoint: `${ORIGIN}/oauth/revoke`,
        response_types_supported: ["code"],
        response_modes_supported: ["query"],
        grant_types_supported: [
          "authorization_code",
          "refresh_token",
          "urn:ietf:params:oauth:grant-type:web_authorization_poll",
        ],
        code_challenge_methods_supported: ["S256"],
        token_endpoint_auth_methods_supported: ["none"],
        revocation_endpoint_auth_methods_supported: ["none"],
        scopes_supported: ["events:read", "events:write", "code:read"],
        client_id_metadata_document_supported: true,
        authorization_response_iss_parameter_supported: true,
      });
      for (const path of ["", "/mcp"]) {
        const answer = await worker(`/.well-known/oauth-protected-resource${path}`);
        expect(answer.headers.get("Access-Control-Allow-Origin")).toBe("*");
        expect(await answer.json()).toMatchObject({ resource: `${ORIGIN}/mcp`, authorization_servers: [ORIGIN] });
      }
    },
  );

  test("the 401 of each room points at the suffixed document (case 12)", async () => {
    for (const path of ["/mcp", "/mcp/", "/mcp?x=1", "/api/pending-status"]) {
      const answer = await fetch(path, { method: path.startsWith("/mcp") ? "POST" : "GET" });
      expect(answer.status).toBe(401);
      expect(answer.headers.get("WWW-Authenticate")).toContain(
        `resource_metadata="${ORIGIN}/.well-known/oauth-protected-resource/mcp", scope="events:read events:write"`,
      );
    }
  });

  test.each([
    "/.well-known/openid-configuration",
    "/.well-known/oauth-authorization-server/mcp",
    "/mcp/.well-known/oauth-protected-resource",
  ])("a probe of %s gets JSON 404 (case 14)", async (path) => {
    const answer = await fetch(path);
    expect([answer.status, answer.headers.get("Content-Type")]).toEqual([404, "application/json"]);
  });

  test("programs in browsers may call the endpoints", async () => {
    for (const path of [
      "/oauth/token",
      "/oauth/register",
      "/oauth/revoke",
      "/.well-known/oauth-authorization-server",
    ]) {
      const preflight = await fetch(path, { method: "OPTIONS", headers: { Origin: "https://inspector.example" } });
      expect([preflight.status, preflight.headers.get("Access-Control-Allow-Origin")], path).toEqual([204, "*"]);
    }
    const answer = await fetch("/oauth/token");
    expect([answer.status, answer.headers.get("Allow")]).toEqual([405, "POST"]);
  });
});

describe("revocation", () => {
  const revoke = (fields: Record<string, string>) =>
    fetch("/oauth/revoke", { method: "POST", body: new URLSearchParams(fields) });

  test("of a refresh token ends the grant, of an access token only itself, of nothing is 200", async () => {
    const a = await signIn();
    expect((await revoke({ client_id: a.clientId, token: a.access_token })).status).toBe(200);
    expect((await api(a.access_token)).status).toBe(401);
    const next = await token(fetch, refreshForm(a.clientId, a.refresh_token));
    expect(next.status).toBe(200);
    expect((await revoke({ client_id: a.clientId, token: next.body.refresh_token })).status).toBe(200);
    expect((await api(next.body.access_token)).status).toBe(401);
    expect((await token(fetch, refreshForm(a.clientId, next.body.refresh_token))).body.error).toBe("invalid_grant");
    expect((await revoke({ client_id: a.clientId, token: "unknown" })).status).toBe(200);
  });

  test("by another client, or an unknown one, is refused", async () => {
    const [a, b] = [await signIn(), await signIn()];
    expect((await revoke({ client_id: b.clientId, token: a.refresh_token })).status).toBe(400);
    expect((await revoke({ client_id: "nobody", token: a.refresh_token })).status).toBe(401);
    expect((await api(a.access_token)).status).toBe(200);
  });
});

describe("the page of grants", () => {
  async function open(access = MONA) {
    const start = await browser.get("/oauth/grants");
    const transaction = new URL(start.headers.get("Location")!).searchParams.get("state")!;
    const back = await browser.callback(transaction, github, access);
    expect(back.headers.get("Location")).toBe(`${ORIGIN}/oauth/grants`);
    return (await browser.get("/oauth/grants")).text();
  }
  const field = (page: string, name: string) => new RegExp(`name="${name}" value="([^"]+)"`).exec(page)![1]!;

  test("signs in through GitHub, shows a person's own grants, and ends them", async () => {
    const mine = await signIn();
    const theirs = await signIn({ ...MONA, userId: 8, login: "hubot" }, "Theirs");
    const page = await open();
    expect(page).toContain("mona");
    expect(page).not.toContain("Theirs");
    const fields = { csrf: field(page, "csrf"), grant: field(page, "grant") };
    expect((await browser.post("/oauth/grants", fields)).status).toBe(302);
    expect((await api(mine.access_token)).status).toBe(401);
    expect((await api(theirs.access_token)).status).toBe(200);
    expect(await (await browser.get("/oauth/grants")).text()).toContain("No program");
  });

  test("ends nothing without its CSRF token, from another site, or for another person", async () => {
    const mine = await signIn();
    const page = await open();
    const fields = { csrf: field(page, "csrf"), grant: field(page, "grant") };
    // The second is as long as the right one, in characters.
    for (const csrf of ["x", "\u00e9".repeat(43)]) {
      expect((await browser.post("/oauth/grants", { ...fields, csrf })).status).toBe(403);
    }
    expect((await browser.post("/oauth/grants", fields, { Origin: "https://evil.example" })).status).toBe(403);
    expect((await new Browser(fetch).post("/oauth/grants", fields)).status).toBe(400);
    const hubot = browser;
    hubot.cookies.clear();
    await signIn({ ...MONA, userId: 8, login: "hubot" });
    const other = await open({ ...MONA, userId: 8, login: "hubot" });
    await hubot.post("/oauth/grants", { csrf: field(other, "csrf"), grant: fields.grant });
    expect((await api(mine.access_token)).status).toBe(200);
  });

  test("asks who somebody is every ten minutes", async () => {
    const mine = await signIn();
    const page = await open();
    const fields = { csrf: field(page, "csrf"), grant: field(page, "grant") };
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 600_000 });
    try {
      const late = await browser.post("/oauth/grants", fields);
      expect([late.status, await late.text()]).toEqual([400, expect.stringContaining('href="/oauth/grants"')]);
      const again = await browser.get("/oauth/grants");
      expect(again.headers.get("Location")).toContain("https://github.com/login/oauth/authorize");
      expect((await api(mine.access_token)).status).toBe(200);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("a webhook that takes access away", () => {
  async function deliver(event: string, payload: object) {
    const body = JSON.stringify(payload);
    const secret = new TextEncoder().encode("webhook-secret-of-the-tests");
    const key = await crypto.subtle.importKey("raw", secret, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
    const mac = await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(body));
    const answer = await newWorker({ WEBHOOK_IP_ALLOWLIST: "off" })("/webhooks/github", {
      method: "POST",
      body,
      headers: {
        "Content-Type": "application/json",
        "X-GitHub-Event": event,
        "X-GitHub-Delivery": crypto.randomUUID(),
        "X-GitHub-Hook-Installation-Target-Type": "integration",
        "X-Hub-Signature-256": `sha256=${Buffer.from(mac).toString("hex")}`,
      },
    });
    expect(answer.status).toBe(202);
  }
  const organization = { id: 50, login: "acme", type: "Organization" };

  test("ends the access token; the next one no longer sees what was lost", async () => {
    const mine = await signIn();
    github.set(7, [MONA.accounts[0]!]);
    await deliver("organization", {
      action: "member_removed",
      organization,
      membership: { user: { id: 7, login: "mona" } },
    });
    expect((await api(mine.access_token)).status).toBe(401);
    const next = await token(fetch, refreshForm(mine.clientId, mine.refresh_token));
    expect((await api(next.body.access_token)).status).toBe(200);
    const grants = (await storedRecords()).filter(([key]) => key.startsWith("grant:"));
    expect(grants.map(([, grant]) => (grant as { access: unknown }).access)).toEqual([[MONA.accounts[0]]]);
  });

  test("an authorization that the user revoked ends their grants", async () => {
    const mine = await signIn();
    await deliver("github_app_authorization", { action: "revoked", sender: { id: 7, login: "mona" } });
    expect((await api(mine.access_token)).status).toBe(401);
    expect((await token(fetch, refreshForm(mine.clientId, mine.refresh_token))).body.error).toBe("invalid_grant");
  });
});

test("without a GitHub App a deployed Worker says that sign-in is not set up", async () => {
  const worker = newWorker({ GITHUB_CLIENT_ID: "" });
  const { clientId } = await register(worker);
  const { response } = await new Browser(worker).open(codeQuery(clientId));
  expect(response.status).toBe(503);
  expect((await worker("/oauth/grants")).status).toBe(503);
});

test("what goes wrong on our side is 503, and half-makes nothing", async () => {
  const broken = newWorker({ OAUTH_STORE: { getByName: () => ({}) } as unknown as string });
  const answer = await broken("/oauth/token", {
    method: "POST",
    body: new URLSearchParams({ grant_type: "refresh_token", client_id: "c", refresh_token: "r" }),
  });
  expect(answer.status).toBe(503);
  expect(await answer.json()).toMatchObject({ error: "temporarily_unavailable" });
  const page = await broken("/oauth/authorize?client_id=c&response_type=code");
  expect([page.status, page.headers.get("Content-Type")]).toEqual([503, "text/html; charset=utf-8"]);
});
