import { reset } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { FakeGitHub } from "../fake-github.ts";
import {
  authorize,
  Browser,
  codeForm,
  codeQuery,
  type Fetch,
  newWorker,
  POLL,
  pollQuery,
  REDIRECT,
  register,
  token,
} from "./browser.ts";

let github: FakeGitHub;
let worker: Fetch;
let browser: Browser;

beforeEach(async () => {
  await reset();
  github = await new FakeGitHub().install();
  worker = newWorker();
  browser = new Browser(worker);
});
afterEach(() => void vi.restoreAllMocks());

describe("registration", () => {
  test("a wish for a secret is answered with none, and the exchange works (case 1)", async () => {
    const { status, body, clientId } = await register(worker, {
      redirect_uris: [REDIRECT],
      token_endpoint_auth_method: "client_secret_post",
    });
    expect(status).toBe(201);
    expect(body.token_endpoint_auth_method).toBe("none");
    expect(body).not.toHaveProperty("client_secret");
    const query = await authorize(browser, github, codeQuery(clientId));
    const form = codeForm(clientId, query.get("code")!, { client_secret: "whatever" });
    expect((await token(worker, form)).status).toBe(200);
  });

  test("Cursor's three redirect URIs register together, and each authorizes (case 2)", async () => {
    const redirect_uris = [
      "cursor://anysphere.cursor-mcp/oauth/callback",
      "https://www.cursor.com/agents/mcp/oauth/callback",
      "http://localhost:8787/callback",
    ];
    const { status, clientId } = await register(worker, { redirect_uris, application_type: "web" });
    expect(status).toBe(201);
    for (const redirect_uri of redirect_uris) {
      const { transaction } = await browser.open(codeQuery(clientId, { redirect_uri }));
      await browser.approve(transaction);
      const back = await browser.callback(transaction, github);
      expect(back.headers.get("Location")!.startsWith(`${redirect_uri}?code=ghwm_ac_`)).toBe(true);
    }
  });

  test("what is absent, null or empty is omitted, and lists are lists (case 3)", async () => {
    const { body } = await register(worker, {
      redirect_uris: [REDIRECT],
      client_uri: null,
      logo_uri: "",
      contacts: null,
    });
    expect(body).toEqual({
      client_id: expect.stringMatching(/^ghwm_client_/),
      client_id_issued_at: expect.any(Number),
      redirect_uris: [REDIRECT],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    });
  });

  test("what a client says about itself is given back", async () => {
    const said = { client_name: "N", client_uri: "https://client.example", software_id: "s", scope: "events:read" };
    expect((await register(worker, { redirect_uris: [REDIRECT], ...said })).body).toMatchObject(said);
  });

  test.each([
    "javascript:alert(1)",
    "data:text/html,x",
    "file:///etc/passwd",
    "vbscript:x",
    "blob:https://client.example/x",
    "ms-msdt:/id",
    "http://client.example/cb",
    "https://user:pw@client.example/cb",
    "https://client.example/cb#fragment",
    "https://client.example/c b",
    "https:/\\evil.example",
    "/cb",
    "not a uri",
    "JaVaScRiPt:alert(1)",
  ])("redirect URI %j is refused", async (uri) => {
    const { status, body } = await register(worker, { redirect_uris: [REDIRECT, uri] });
    expect([status, body.error]).toEqual([400, "invalid_redirect_uri"]);
    expect(body.error_description).toMatch(/^[\x20-\x7e]+$/);
  });

  test.each([["not json"], ["[]"], ["null"], ["1"], ['{"redirect_uris":"x"}'], ["{}"]])(
    "body %s is refused",
    async (body) => {
      const answer = await worker("/oauth/register", { method: "POST", body });
      expect(answer.status).toBe(400);
      expect(((await answer.json()) as { error: string }).error).toMatch(/^invalid_(client_metadata|redirect_uri)$/);
    },
  );

  test("60 registrations and 200 refreshes in a minute from one address pass; beyond the cap 429 (case 20)", async () => {
    const headers = { "CF-Connecting-IP": "160.79.104.7" };
    const ask = () =>
      worker("/oauth/register", { method: "POST", headers, body: JSON.stringify({ redirect_uris: [REDIRECT] }) });
    for (let i = 0; i < 60; i++) expect((await ask()).status).toBe(201);
    const { clientId } = await register(worker);
    const query = await authorize(browser, github, codeQuery(clientId));
    let { body } = await token(worker, codeForm(clientId, query.get("code")!), "160.79.104.7");
    for (let i = 0; i < 200; i++) {
      const form = { grant_type: "refresh_token", client_id: clientId, refresh_token: body.refresh_token };
      const next = await token(worker, form, "160.79.104.7");
      expect(next.status).toBe(200);
      body = next.body;
    }
    for (let i = 0; i < 40; i++) await ask();
    const limited = await ask();
    expect([limited.status, limited.headers.get("Retry-After")]).toEqual([429, "60"]);
    expect(await limited.json()).toMatchObject({ error: "rate_limited" });
    const api = await worker("/api/pending-status", { headers: { Authorization: `Bearer ${body.access_token}` } });
    expect(api.status).toBe(200);
  }, 60_000);
});

describe("client ID metadata documents", () => {
  const URL_ID = "https://app.example.com/client.json";
  const document = { client_id: URL_ID, client_name: "App", redirect_uris: [REDIRECT] };

  /** The rest of the web, as the Worker sees it. */
  function web(answer: (url: string, init?: RequestInit) => Response | Promise<Response>) {
    return vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => answer(String(input), init));
  }

  test("a document signs in, and the page shows who vouches for the name", async () => {
    const asked = web(() => Response.json(document));
    const { page, transaction } = await browser.open(codeQuery(URL_ID));
    expect(page).toContain("app.example.com");
    expect(asked.mock.calls[0]![1]).toMatchObject({ redirect: "manual" });
    await browser.approve(transaction);
    const back = await browser.callback(transaction, github);
    const code = new URL(back.headers.get("Location")!).searchParams.get("code")!;
    expect((await token(worker, codeForm(URL_ID, code))).status).toBe(200);
    await browser.open(codeQuery(URL_ID));
    expect(asked).toHaveBeenCalledOnce();
  });

  test("private_key_jwt as a preference is answered with none (case 9)", async () => {
    web(() =>
      Response.json({
        ...document,
        token_endpoint_auth_method: "private_key_jwt",
        token_endpoint_auth_methods_supported: ["none", "private_key_jwt"],
      }),
    );
    const query = await authorize(browser, github, codeQuery(URL_ID));
    expect((await token(worker, codeForm(URL_ID, query.get("code")!))).status).toBe(200);
  });

  test.each([
    "https://localhost/c",
    "https://127.0.0.1/c",
    "https://10.0.0.1/c",
    "https://192.168.1.1/c",
    "https://169.254.169.254/c",
    "https://[::1]/c",
    "https://[::ffff:127.0.0.1]/c",
    "https://[::ffff:7f00:1]/c",
    "https://[fd00::1]/c",
    "https://[fe80::1]/c",
    "https://[64:ff9b::7f00:1]/c",
    "https://2130706433/c",
    "https://0x7f.1/c",
    "https://printer.local/c",
    "https://metadata.internal/c",
    "https://intranet/c",
    "https://app.example.com",
    "https://app.example.com/",
    "https://user@app.example.com/c",
    "https://app.example.com/c#x",
    "https://app.example.com/a/../c",
  ])("%s is not fetched", async (clientId) => {
    const asked = web(() => Response.json({ ...document, client_id: clientId }));
    const { response, page } = await browser.open(codeQuery(clientId));
    expect([response.status, page.includes("could not be identified")]).toEqual([400, true]);
    expect(asked).not.toHaveBeenCalled();
  });

  test.each<[string, () => Response | Promise<Response>]>([
    ["a redirect", () => new Response(null, { status: 302, headers: { Location: "http://127.0.0.1/" } })],
    ["404", () => new Response("{}", { status: 404 })],
    ["another client_id", () => Response.json({ ...document, client_id: "https://other.example.com/c" })],
    ["a secret", () => Response.json({ ...document, client_secret: "s" })],
    ["no JSON", () => new Response("<html>")],
    ["no object", () => Response.json(null)],
    ["no redirect URI", () => Response.json({ client_id: URL_ID })],
    ["a redirect URI that runs code", () => Response.json({ ...document, redirect_uris: ["javascript:1"] })],
    ["a huge document", () => Response.json({ ...document, more: "x".repeat(70_000) })],
    ["no answer", () => Promise.reject(new Error("unreachable"))],
  ])("%s is a page that says so", async (_, answer) => {
    web(answer);
    const { response } = await browser.open(codeQuery(URL_ID));
    expect(response.status).toBe(400);
  });

  test("a slow document is given up after 5 s", async () => {
    web(() => new Response(new ReadableStream({ pull: () => new Promise(() => {}) })));
    const start = performance.now();
    const { response } = await browser.open(codeQuery(URL_ID));
    expect(response.status).toBe(400);
    expect(performance.now() - start).toBeLessThan(8_000);
  }, 15_000);

  test("may not use the poll grant", async () => {
    web(() => Response.json({ ...document, grant_types: [POLL, "authorization_code"] }));
    expect((await browser.open(pollQuery(URL_ID, "some-state"))).response.status).not.toBe(200);
    const form = { grant_type: POLL, client_id: URL_ID, state: "some-state", code_verifier: "v".repeat(43) };
    expect((await token(worker, form)).body.error).toBe("unauthorized_client");
  });
});
