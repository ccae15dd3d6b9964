/** The official client, wired to an agent without a network: what is tested is what crosses the wire. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { RECHECK_MS } from "../../grants/access-watch.ts";
import type { AgentPort, McpCaller } from "../../ports.ts";
import { handleMcp } from "../route.ts";

export type Era = "2025" | "2026";

/** A caller who sees these accounts whole, with both scopes. */
export function callerOf(accountIds: readonly number[], scopes = ["events:read", "events:write"]): McpCaller {
  const accounts = accountIds.map((accountId) => ({
    accountId,
    login: `account-${accountId}`,
    repositories: "all" as const,
    orgOwner: true,
  }));
  return { viewer: { userId: 7, accounts }, scopes };
}

/**
 * `fetch` of a Worker that serves this agent to this caller; every call goes through the `/mcp` route. A caller who
 * aborts is a client that hangs up: the runtime then cancels the answer's body.
 */
export function fetchTo(
  agent: AgentPort,
  caller: McpCaller,
): (url: string | URL, init?: RequestInit) => Promise<Response> {
  return async (url, { signal, ...init } = {}) => {
    const response = await handleMcp(new Request(url, init), {
      authenticate: async () => ({ ok: true, caller }),
      recheck: async () => caller,
      recheckMs: RECHECK_MS,
      agent: () => agent,
    });
    return signal ? cutOff(response, signal) : response;
  };
}

function cutOff(response: Response, signal: AbortSignal): Response {
  const reader = response.body?.getReader();
  if (!reader) return response;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      signal.addEventListener("abort", () => {
        controller.error(signal.reason);
        reader.cancel(signal.reason).catch(() => {});
      });
    },
    async pull(controller) {
      const { done, value } = await reader.read();
      if (signal.aborted) return;
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
  return new Response(body, response);
}

/** Connects a client of this protocol generation. Close it when done. */
export async function connect(agent: AgentPort, caller: McpCaller, era: Era): Promise<Client> {
  const client = new Client(
    { name: "test", version: "1" },
    { versionNegotiation: { mode: era === "2026" ? { pin: "2026-07-28" } : "legacy" } },
  );
  const transport = new StreamableHTTPClientTransport(new URL("https://hooks.example/mcp"), {
    fetch: fetchTo(agent, caller),
  });
  await client.connect(transport);
  return client;
}
