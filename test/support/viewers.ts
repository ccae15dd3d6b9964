/**
 * Any viewer as a caller of the product: the same agent and the same REST routes that the Worker puts behind its bearer
 * check, which by itself knows only local mode's one viewer so far.
 */
import { env } from "cloudflare:workers";
import type { Client } from "@modelcontextprotocol/client";
import { Hono } from "hono";
import { apiRoutes } from "../../worker/src/api/routes.ts";
import { RECHECK_MS } from "../../worker/src/grants/access-watch.ts";
import { DEFAULT_SCOPES } from "../../worker/src/grants/bearer.ts";
import { durableStores } from "../../worker/src/inbox/stores.ts";
import { handleMcp } from "../../worker/src/mcp/route.ts";
import type { McpCaller } from "../../worker/src/ports.ts";
import { handleEvents } from "../../worker/src/stream/route.ts";
import type { Viewer, ViewerAccount } from "../../worker/src/viewer.ts";
import { connectV2, type McpFetch } from "./mcp.ts";
import { type Fetch, LOCAL } from "./worker.ts";

export const stores = durableStores(env.WEBHOOK_STORE);

/** A viewer of one account. */
export function member(
  userId: number,
  account: { id: number; login: string },
  repositories: "all" | readonly number[],
  orgOwner = repositories === "all",
): Viewer {
  return { userId, accounts: [seat(account, repositories, orgOwner)] };
}

/** What a viewer sees of one account. */
export function seat(
  { id, login }: { id: number; login: string },
  repositories: "all" | readonly number[],
  orgOwner = repositories === "all",
): ViewerAccount {
  return { accountId: id, login, repositories: repositories === "all" ? "all" : new Set(repositories), orgOwner };
}

/** What comes back over the wire, for tests that look for what must not be there. */
export type Overhear = (request: string, response: string) => void;

/** `/mcp` for a viewer: the Worker's route and the user's own agent. `scopes`: those of the caller's token. */
export function mcpAs(viewer: Viewer, overhear?: Overhear, scopes: readonly string[] = DEFAULT_SCOPES): McpFetch {
  return async (url, init) => {
    const response = await handleMcp(new Request(url, init), {
      authenticate: async () => ({ ok: true, caller: { viewer, scopes } }),
      recheck: async () => ({ viewer, scopes }),
      recheckMs: RECHECK_MS,
      agent: (userId) => env.MCP_AGENT.getByName(`tenant-${userId}`),
    });
    if (!overhear) return response;
    const text = await response.text();
    overhear(String(init?.body), text);
    return new Response(text === "" ? null : text, response);
  };
}

/** An MCP client of a viewer. */
export function connectAs(viewer: Viewer, overhear?: Overhear, scopes?: readonly string[]): Promise<Client> {
  return connectV2(mcpAs(viewer, overhear, scopes));
}

/** `/events` for a viewer, as long as `recheck` says so. */
export function eventsAs(
  viewer: Viewer,
  { scopes = DEFAULT_SCOPES, recheck = async () => ({ viewer, scopes }), recheckMs = RECHECK_MS }: EventsOptions = {},
): Fetch {
  return (path, init) =>
    handleEvents(new Request(LOCAL + path, init), {
      stores,
      publicUrl: LOCAL,
      authenticate: async () => ({ ok: true, caller: { viewer, scopes } }),
      recheck,
      recheckMs,
    });
}

export interface EventsOptions {
  scopes?: readonly string[];
  recheck?: () => Promise<McpCaller | null>;
  recheckMs?: number;
}

/** The REST routes for a viewer. */
export function restAs(viewer: Viewer, overhear?: Overhear, scopes: readonly string[] = DEFAULT_SCOPES) {
  const app = new Hono<{ Variables: { caller: McpCaller } }>();
  app.use(async (context, next) => {
    context.set("caller", { viewer, scopes });
    await next();
  });
  app.route("/api", apiRoutes({ stores }));
  return async (path: string, init?: RequestInit): Promise<Response> => {
    const response = await app.request(LOCAL + path, init);
    if (!overhear) return response;
    const text = await response.text();
    const headers = JSON.stringify([...response.headers]);
    overhear(`${path} ${String(init?.body)}`, `${headers} ${text}`);
    return new Response(text, response);
  };
}
