/**
 * The MCP endpoint without its Durable Object: one handler for an agent's whole life, so that an update reaches every
 * listener, and a fresh server for each request, so that a caller sees what their own token allows.
 */
import type { McpServerFactory } from "@modelcontextprotocol/server";
import { type CreateMcpHandlerOptions, createMcpHandler } from "agents/mcp/server";
import { resourceMetadataUrl } from "../grants/bearer.ts";
import { errorText, log } from "../log.ts";
import type { AgentPort, McpCaller } from "../ports.ts";
import { EVENTS_URI } from "./resources.ts";
import { buildServer, type ServerDeps } from "./server.ts";
import { waitForEventsTool } from "./tools/wait-for-events.ts";
import { UpdateFeed } from "./update-feed.ts";
import { whenEnded } from "./when-ended.ts";

type Handler = ReturnType<typeof createMcpHandler>;

/** How often an open stream is written to: a client that hung up is noticed by the write that finds it gone. */
const KEEP_ALIVE_MS = 5_000;

/** The handler's own address for itself. No real host name, or it would check Host by rules of its own. */
export const SERVICE_URL = "https://agent.invalid/mcp";

export class McpService implements AgentPort {
  readonly #deps: ServerDeps;
  readonly #handler: Handler;
  readonly #waitHandler: Handler;
  readonly #updates: UpdateFeed;

  constructor(deps: ServerDeps) {
    this.#deps = deps;
    const factory: McpServerFactory = (context) => buildServer(context, deps);
    const options: CreateMcpHandlerOptions = {
      route: new URL(SERVICE_URL).pathname,
      // The Worker checks Host and Origin and adds the CORS headers, for every path alike.
      allowedOriginHostnames: "*",
      corsOptions: false,
      keepAliveMs: KEEP_ALIVE_MS,
      onerror: (error) => log("warn", "mcp_request_failed", { error: errorText(error) }),
    };
    this.#handler = createMcpHandler(factory, options);
    this.#waitHandler = createMcpHandler(factory, { ...options, responseMode: "sse" });
    this.#updates = new UpdateFeed(deps.stores, () => this.#handler.notify.resourceUpdated(EVENTS_URI));
  }

  async serve(request: Request, { viewer, scopes }: McpCaller): Promise<Response> {
    // A request's signal does not cross RPC (but for an experimental flag): an answer that is a stream from the start
    // is how the agent learns that its reader has gone, and it keeps proxies from giving up.
    const waits = request.headers.get("mcp-name") === waitForEventsTool.name;
    const listens = request.headers.get("mcp-method") === "subscriptions/listen";
    // Heard before acknowledged: an event that comes after the acknowledgement is told.
    const stop = listens ? await this.#updates.listen(viewer) : undefined;
    try {
      const response = await (waits ? this.#waitHandler : this.#handler).fetch(request, {
        authInfo: {
          // The token itself stays in the Worker.
          token: "",
          clientId: "",
          scopes: [...scopes],
          resourceMetadataUrl: resourceMetadataUrl(this.#deps.publicUrl),
          extra: { viewer },
        },
      });
      return stop ? whenEnded(response, stop) : response;
    } catch (error) {
      stop?.();
      throw error;
    }
  }
}
