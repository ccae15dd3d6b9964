/**
 * `GET /events`: the bearer check, the scope, the method, the query; then a WebSocket where one is asked for, else an
 * event stream. What is wrong is said before either begins, as an ordinary HTTP answer.
 */
import { type Authentication, insufficientScope, READ_SCOPE } from "../grants/bearer.ts";
import { InboxError } from "../inbox/errors.ts";
import type { McpCaller, StoresPort } from "../ports.ts";
import { EventStreamOutlet } from "./event-stream.ts";
import { readStreamQuery, type StreamQuery } from "./query.ts";
import { EventStream } from "./stream.ts";
import { WebSocketOutlet } from "./web-socket.ts";

export interface EventsDeps {
  stores: StoresPort;
  /** Origin under which clients reach the Worker. */
  publicUrl: string;
  authenticate(request: Request): Promise<Authentication>;
  /** Whom the request's token speaks for now; null = nobody any more. */
  recheck(request: Request): Promise<McpCaller | null>;
  /** How often that is asked while a stream is open. */
  recheckMs: number;
}

/** Answers a request to `/events`. */
export async function handleEvents(request: Request, deps: EventsDeps): Promise<Response> {
  const authentication = await deps.authenticate(request);
  if (!authentication.ok) return authentication.response;
  const { viewer, scopes } = authentication.caller;
  if (request.method !== "GET") return refusal(405, "method_not_allowed", "This path takes GET.", { Allow: "GET" });
  if (!scopes.includes(READ_SCOPE)) {
    const challenge = { "WWW-Authenticate": insufficientScope(deps.publicUrl) };
    return refusal(403, "insufficient_scope", `This needs the scope ${READ_SCOPE}.`, challenge);
  }
  const socket = request.headers.get("upgrade")?.toLowerCase() === "websocket";
  const query = readQuery(request, socket);
  if ("problem" in query) return refusal(400, "invalid_request", query.problem);

  const events = { onGone: () => stream.close() };
  const outlet = socket ? new WebSocketOutlet(events) : new EventStreamOutlet(events);
  const { stores, recheckMs } = deps;
  const stream = new EventStream({
    ...query,
    stores,
    viewer,
    outlet,
    recheckMs,
    check: () => deps.recheck(request),
  });
  void stream.run();
  return outlet.response;
}

function readQuery(request: Request, socket: boolean): StreamQuery | { problem: string } {
  try {
    return readStreamQuery(request.url, socket ? null : request.headers.get("last-event-id"));
  } catch (error) {
    if (error instanceof InboxError) return { problem: error.message };
    throw error;
  }
}

function refusal(status: number, error: string, message: string, headers: Record<string, string> = {}): Response {
  return Response.json({ error, message }, { status, headers: { "Cache-Control": "no-store", ...headers } });
}
