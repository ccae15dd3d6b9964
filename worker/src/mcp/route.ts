/**
 * `/mcp` in the Worker: CORS, the bearer check, the method, the size of the body; then the caller's agent.
 *
 * Streams come only as answers to POST, so GET is 405 (a client that got an empty 200 would connect for ever). The
 * body is read here, so that a call which an agent's reset broke off can be made once more.
 */
import type { Authentication } from "../grants/bearer.ts";
import { readBody } from "../payload/body.ts";
import type { AgentPort, McpCaller } from "../ports.ts";
import { retryOnReset } from "../retry.ts";
import { SERVICE_URL } from "./service.ts";
import { whileAllowed } from "./while-allowed.ts";

/** More than any request needs: 100 event ids and a cursor. */
const MAX_BODY_BYTES = 1_048_576;

const ALLOW = "POST, OPTIONS";
const CORS: Readonly<Record<string, string>> = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": "WWW-Authenticate, Mcp-Session-Id",
};
const PREFLIGHT: Readonly<Record<string, string>> = {
  ...CORS,
  "Access-Control-Allow-Methods": ALLOW,
  "Access-Control-Allow-Headers":
    "Authorization, Content-Type, Accept, Last-Event-ID, Mcp-Session-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name",
  "Access-Control-Max-Age": "86400",
};

export interface McpRouteDeps {
  authenticate(request: Request): Promise<Authentication>;
  /** Whom the request's token speaks for now; null = nobody any more. */
  recheck(request: Request): Promise<McpCaller | null>;
  /** How often that is asked while an answer lasts. */
  recheckMs: number;
  /** The agent of a user. */
  agent(userId: number): AgentPort;
}

/** Answers a request to `/mcp` or `/mcp/`. */
export async function handleMcp(request: Request, deps: McpRouteDeps): Promise<Response> {
  // A browser sends no credentials with it (Fetch Standard, CORS-preflight fetch).
  if (request.method === "OPTIONS") return new Response(null, { status: 204, headers: PREFLIGHT });
  const response = await answer(request, deps);
  const headers = new Headers(response.headers);
  for (const [name, value] of Object.entries(CORS)) headers.set(name, value);
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
}

async function answer(request: Request, { authenticate, recheck, recheckMs, agent }: McpRouteDeps): Promise<Response> {
  const authentication = await authenticate(request);
  if (!authentication.ok) return authentication.response;
  const { caller } = authentication;
  if (request.method !== "POST") return refusal(405, "Method not allowed: POST a JSON-RPC message.", { Allow: ALLOW });
  const body = await readBody(request, MAX_BODY_BYTES);
  if ("rejection" in body) {
    return body.rejection.kind === "too-large"
      ? refusal(413, `The request body is larger than ${MAX_BODY_BYTES} bytes.`)
      : refusal(400, `The request body can't be read: ${body.rejection.reason}.`);
  }
  const headers = new Headers(request.headers);
  headers.delete("authorization");
  const { viewer } = caller;
  const response = await retryOnReset(() =>
    agent(viewer.userId).serve(new Request(SERVICE_URL, { method: "POST", headers, body: body.bytes }), caller),
  );
  return whileAllowed(response, {
    viewer,
    check: () => recheck(request),
    everyMs: recheckMs,
    endWhenGrown: headers.get("mcp-method") === "subscriptions/listen",
  });
}

function refusal(status: number, message: string, headers?: HeadersInit): Response {
  return Response.json({ jsonrpc: "2.0", error: { code: -32000, message }, id: null }, { status, headers });
}
