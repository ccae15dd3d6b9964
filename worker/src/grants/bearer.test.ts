import { describe, expect, it } from "vitest";
import { authenticate } from "./bearer.ts";

const deps = {
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
