import { describe, expect, it } from "vitest";
import type { AgentPort, McpCaller } from "../ports.ts";
import { handleMcp } from "./route.ts";
import { callerOf } from "./testing/connect.ts";

const caller = callerOf([1]);

function agentThat(serve: (request: Request) => Promise<Response>): AgentPort {
  return { serve };
}

const echo = agentThat(async (request) =>
  Response.json({ url: request.url, body: await request.text(), auth: request.headers.get("authorization") }),
);

interface Asked {
  path?: string;
  agent?: AgentPort;
  signedIn?: boolean;
  /** What a later check of the token finds. */
  recheck?: () => Promise<McpCaller | null>;
}

function ask(
  init: RequestInit,
  { path = "/mcp", agent = echo, signedIn = true, recheck = async () => caller }: Asked = {},
): Promise<Response> {
  return handleMcp(new Request(`https://hooks.example${path}`, init), {
    authenticate: async () =>
      signedIn
        ? { ok: true, caller }
        : { ok: false, response: new Response("no", { status: 401, headers: { "WWW-Authenticate": "Bearer" } }) },
    recheck,
    recheckMs: 10,
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

  describe("an answer that lasts", () => {
    const lasting = () => {
      const cancelled = Promise.withResolvers<void>();
      const body = new ReadableStream({
        start: (controller) => controller.enqueue(new TextEncoder().encode(": began\n\n")),
        cancel: () => cancelled.resolve(),
      });
      const agent = agentThat(async () => new Response(body, { headers: { "Content-Type": "text/event-stream" } }));
      return { agent, cancelled: cancelled.promise };
    };
    const listen = { ...post, headers: { ...post.headers, "Mcp-Method": "subscriptions/listen" } };
    const wait = { ...post, headers: { ...post.headers, "Mcp-Method": "tools/call", "Mcp-Name": "wait_for_events" } };

    it.each([
      ["a subscription when the token has ended", listen, null],
      ["a subscription when the viewer sees another account than before", listen, callerOf([2])],
      ["a subscription when the viewer sees more: it is asked for anew", listen, callerOf([1, 2])],
      ["a tool's answer when the token has ended", wait, null],
    ])("ends %s, and its agent learns of it", async (_, init, later) => {
      const { agent, cancelled } = lasting();
      const response = await ask(init, { agent, recheck: async () => later });
      expect(await response.text()).toBe(": began\n\n");
      await cancelled;
    });

    it.each([
      ["a subscription whose access is the same", listen, caller],
      ["a tool's answer when the viewer sees more", wait, callerOf([1, 2])],
    ])("does not end %s", async (_, init, later) => {
      const { agent, cancelled } = lasting();
      let checks = 0;
      const recheck = async () => {
        checks++;
        return later;
      };
      const reader = (await ask(init, { agent, recheck })).body!.getReader();
      await reader.read();
      const ended = reader.read();
      while (checks < 5) await new Promise((done) => setTimeout(done, 5));
      expect(await Promise.race([ended.then(() => "ended"), "open"])).toBe("open");
      await reader.cancel();
      await cancelled;
      const before = checks;
      await new Promise((done) => setTimeout(done, 50));
      expect(checks).toBe(before);
    });
  });
});
