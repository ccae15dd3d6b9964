import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { RateLimiter } from "../rate-limit.ts";
import { authenticate } from "./bearer.ts";
import type { CheckedToken } from "./grants.ts";
import { TokenCache } from "./token-cache.ts";

const deps = {
  local: true,
  tokens: new TokenCache(async () => null),
  limiter: new RateLimiter(),
  operatorIds: new Set<number>(),
  publicUrl: "https://hooks.example",
  localToken: "local-secret",
  registry: { accounts: async () => [{ id: 5, login: "acme", type: "Organization" as const }] },
};

const ask = (authorization?: string, localToken: string | null = deps.localToken) =>
  authenticate(
    new Request("https://hooks.example/mcp", { method: "POST", headers: authorization ? { authorization } : {} }),
    { ...deps, localToken },
  );

async function refusal(authorization?: string, localToken?: string | null) {
  const answer = await ask(authorization, localToken);
  if (answer.ok) throw new Error("let in");
  return answer.response;
}

describe("authenticate", () => {
  it("lets the local token see every account and the operator's store, with both scopes", async () => {
    const account = { repositories: "all", orgOwner: true };
    expect(await ask("bearer local-secret")).toEqual({
      ok: true,
      caller: {
        viewer: {
          userId: 0,
          accounts: [
            { accountId: 5, login: "acme", ...account },
            { accountId: 0, login: "operator", ...account },
          ],
        },
        scopes: ["events:read", "events:write"],
      },
    });
  });

  it("challenges a request without a token, naming the metadata document and the scopes", async () => {
    const response = await refusal();
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toBe(
      'Bearer realm="github-webhook-mcp", resource_metadata="https://hooks.example/.well-known/oauth-protected-resource/mcp", scope="events:read events:write"',
    );
  });

  it.each(["Bearer wrong", "Bearer local-secre", "Bearer local-secrets"])("says that %j is invalid", async (header) => {
    const response = await refusal(header);
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toContain('error="invalid_token"');
    expect(await response.json()).toMatchObject({ error: "invalid_token" });
  });

  it.each(["Basic bG9jYWwtc2VjcmV0", "Bearer", "Bearer local-secret, Bearer x", "local-secret"])(
    "takes %j for no token at all",
    async (header) => {
      expect((await refusal(header)).headers.get("www-authenticate")).not.toContain("error=");
    },
  );

  it("knows no local token outside local mode", async () => {
    expect((await refusal("Bearer local-secret", null)).status).toBe(401);
  });
});

describe("a token of a grant", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
  afterEach(() => void vi.useRealTimers());

  const checked: CheckedToken = {
    grantId: "g1",
    userId: 7,
    login: "mona",
    local: false,
    clientId: "c",
    scopes: ["events:read"],
    resource: null,
    access: [{ accountId: 50, login: "acme", repositories: [501], orgOwner: false }],
    expiresAt: Number.POSITIVE_INFINITY,
  };

  function bench(token: Partial<CheckedToken> | null = {}, change: Partial<typeof deps> = {}) {
    let asked = 0;
    const answer = { token: token && { ...checked, ...token } };
    const tokens = new TokenCache(async () => {
      asked++;
      return answer.token;
    });
    const now = { ...deps, local: false, localToken: null, tokens, limiter: new RateLimiter(), ...change };
    const request = () => new Request("https://hooks.example/mcp", { headers: { authorization: "Bearer t" } });
    return { answer, asked: () => asked, ask: () => authenticate(request(), now) };
  }

  it("speaks for its user, with its access and scopes", async () => {
    expect(await bench().ask()).toEqual({
      ok: true,
      caller: {
        viewer: {
          userId: 7,
          accounts: [{ accountId: 50, login: "acme", repositories: new Set([501]), orgOwner: false }],
        },
        scopes: ["events:read"],
      },
    });
  });

  it("opens the operator's store to operators only", async () => {
    const answer = await bench({}, { operatorIds: new Set([7]) }).ask();
    expect(answer).toMatchObject({ caller: { viewer: { accounts: [{ accountId: 50 }, { accountId: 0 }] } } });
  });

  it("is asked about once in 5 seconds, and is over within them once it is revoked", async () => {
    const { answer, asked, ask } = bench();
    for (let i = 0; i < 10; i++) expect((await ask()).ok).toBe(true);
    expect(asked()).toBe(1);
    answer.token = null;
    vi.setSystemTime(Date.now() + 5_000);
    expect((await ask()).ok).toBe(false);
  });

  it("is not remembered beyond its end", async () => {
    const { answer, ask } = bench({ expiresAt: Date.now() + 1_000 });
    expect((await ask()).ok).toBe(true);
    answer.token = null;
    vi.setSystemTime(Date.now() + 1_000);
    expect((await ask()).ok).toBe(false);
  });

  it("is refused for another audience", async () => {
    expect((await bench({ resource: "https://other.example" }).ask()).ok).toBe(false);
    expect((await bench({ resource: "https://hooks.example" }).ask()).ok).toBe(true);
  });

  it("of local mode counts only there, and no other does", async () => {
    expect((await bench({ local: true }).ask()).ok).toBe(false);
    expect((await bench({ local: false }, { local: true }).ask()).ok).toBe(false);
    expect((await bench({ local: true, userId: 0 }, { local: true }).ask()).ok).toBe(true);
  });

  it("is limited by its grant, and guesses by their address", async () => {
    const { ask } = bench();
    for (let i = 0; i < 1_200; i++) expect((await ask()).ok).toBe(true);
    const answer = await ask();
    if (answer.ok) throw new Error("let in");
    expect([answer.response.status, answer.response.headers.get("Retry-After")]).toEqual([429, "60"]);
    const guesses = bench(null);
    for (let i = 0; i < 600; i++) expect((await guesses.ask()).ok).toBe(false);
    expect(await guesses.ask()).toMatchObject({ response: { status: 429 } });
    expect(guesses.asked()).toBe(600);
  });

  it("that was valid before goes on working at an address from which others guess", async () => {
    const limiter = new RateLimiter();
    const { ask } = bench({}, { limiter });
    expect((await ask()).ok).toBe(true);
    for (let i = 0; i < 600; i++) limiter.charge("invalid:unknown", Date.now());
    vi.setSystemTime(Date.now() + 6_000);
    expect((await ask()).ok).toBe(true);
    expect((await bench({}, { limiter }).ask()).ok).toBe(false);
  });
});
