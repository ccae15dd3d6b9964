import { describe, expect, it } from "vitest";
import type { AgentPort } from "../ports.ts";
import { handleMcp } from "./route.ts";
import { callerOf } from "./testing/connect.ts";

const caller = callerOf([1]);

function agentThat(serve: (request: Request) => Promise<Response>): AgentPort {
  return { serve };
}

const echo = agentThat(async (request) =>
  Response.json({ url: request.url, body: await request.text(), auth: request.headers.get("authorization") }),
);

function ask(init: RequestInit, { path = "/mcp", agent = echo, signedIn = true } = {}): Promise<Response> {
  return handleMcp(new Request(`https://hooks.example${path}`, init), {
    authenticate: async () =>
      signedIn
        ? { ok: true, caller }
        : { ok: false, response: new Response("no", { status: 401, headers: { "WWW-Authenticate": "Bearer" } }) },
    agent: () => agent,
  });
}

const post = { method: "POST", headers: { Authorization: "Bearer t" }, body: '{"x":1}' };

describe("/mcp", () => {
  it.each(["/mcp", "/mcp/", "/mcp?x=1"])("gives the same answer at %s, without a redirect", async (path) => {
    const response = await ask(post, { path });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ url: "https://agent.invalid/mcp", body: '{"x":1}', auth: null });
  });

  it("answers a preflight without asking for a token", async () => {
    const response = await ask({ method: "OPTIONS" }, { signedIn: false });
    expect(response.status).toBe(204);
    expect(response.headers.get("access-control-allow-headers")).toContain("Authorization");
    expect(response.headers.get("access-control-allow-headers")).toContain("Mcp-Method");
  });

  it("lets a browser read the challenge", async () => {
    const response = await ask(post, { signedIn: false });
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toBe("Bearer");
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(response.headers.get("access-control-expose-headers")).toContain("WWW-Authenticate");
  });

  it.each(["GET", "DELETE", "PUT", "HEAD"])("answers %s with 405 and what is allowed", async (method) => {
    const response = await ask({ method, headers: { Accept: "text/event-stream" } });
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe("POST, OPTIONS");
  });

  it("refuses a body over 1 MiB", async () => {
    expect((await ask({ ...post, body: "x".repeat(1_048_576) })).status).toBe(200);
    expect((await ask({ ...post, body: "x".repeat(1_048_577) })).status).toBe(413);
  });

  it("makes the call once more, body and all, when the agent was reset in its midst", async () => {
    let calls = 0;
    const agent = agentThat(async (request) => {
      const body = await request.text();
      if (++calls === 1)
        throw Object.assign(new Error("reset because its code was updated"), { durableObjectReset: true });
      return new Response(body);
    });
    expect(await (await ask(post, { agent })).text()).toBe('{"x":1}');
    expect(calls).toBe(2);
  });
});
