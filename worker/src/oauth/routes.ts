/** Sign-in's routes: which path is which endpoint. What goes wrong on our side is 503, with nothing half-made. */
import { type Context, Hono } from "hono";
import { errorText, log } from "../log.ts";
import { problemPage } from "../pages/problems.ts";
import { authorizePage } from "./authorize-page.ts";
import { callback, consent } from "./consent.ts";
import type { OAuthDeps } from "./deps.ts";
import { endGrant, showGrants } from "./grants-page.ts";
import { authorizationServerMetadata, protectedResourceMetadata } from "./metadata.ts";
import { refusalResponse } from "./refusal.ts";
import { register } from "./register.ts";
import { revoke } from "./revoke.ts";
import { token } from "./token.ts";

type Endpoint = (request: Request, deps: OAuthDeps) => Promise<Response>;

/** What programs call, in a browser as well: CORS without credentials. */
const FOR_PROGRAMS: Readonly<Record<string, Endpoint>> = { "/register": register, "/token": token, "/revoke": revoke };

const CORS = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Allow-Methods": "GET, POST, OPTIONS",
  "Access-Control-Allow-Headers": "Authorization, Content-Type, Accept, MCP-Protocol-Version",
  "Access-Control-Expose-Headers": "WWW-Authenticate, Retry-After",
  "Access-Control-Max-Age": "86400",
} as const;

/** To be mounted at `/oauth`. */
export function oauthRoutes(depsOf: (request: Request) => OAuthDeps): Hono {
  const app = new Hono();
  app.onError(failed);
  for (const [path, endpoint] of Object.entries(FOR_PROGRAMS)) {
    app.all(path, async (context) => {
      const { method } = context.req;
      return open(method === "OPTIONS" ? preflight() : await endpoint(context.req.raw, depsOf(context.req.raw)));
    });
  }
  app.get("/authorize", (context) => authorizePage(context.req.raw, depsOf(context.req.raw)));
  app.post("/consent", (context) => consent(context.req.raw, depsOf(context.req.raw)));
  app.get("/callback", (context) => callback(context.req.raw, depsOf(context.req.raw)));
  app.get("/grants", (context) => showGrants(context.req.raw, depsOf(context.req.raw)));
  app.post("/grants", (context) => endGrant(context.req.raw, depsOf(context.req.raw)));
  for (const [path, allow] of [
    ["/authorize", "GET"],
    ["/consent", "POST"],
    ["/callback", "GET"],
    ["/grants", "GET, POST"],
  ] as const) {
    app.all(path, () => problemPage("method", undefined, { Allow: allow }));
  }
  return app;
}

/** To be mounted at `/.well-known`. */
export function wellKnownRoutes(publicUrlOf: (request: Request) => string): Hono {
  const app = new Hono();
  const documents = {
    "/oauth-authorization-server": authorizationServerMetadata,
    "/oauth-protected-resource": protectedResourceMetadata,
    "/oauth-protected-resource/mcp": protectedResourceMetadata,
  };
  for (const [path, document] of Object.entries(documents)) {
    app.options(path, () => open(preflight()));
    app.get(path, ({ req }) =>
      open(Response.json(document(publicUrlOf(req.raw)), { headers: { "Cache-Control": "public, max-age=300" } })),
    );
    app.all(path, () => open(refusalResponse({ kind: "method", allow: "GET" })));
  }
  return app;
}

function preflight(): Response {
  return new Response(null, { status: 204 });
}

function open(response: Response): Response {
  for (const [name, value] of Object.entries(CORS)) response.headers.set(name, value);
  return response;
}

/** What an error says is for the log. A path has no query in it, and so no secret. */
function failed(error: Error, context: Context): Response {
  const { method, path } = context.req;
  log("error", "oauth_failed", { method, path, error: errorText(error) });
  if (Object.keys(FOR_PROGRAMS).some((end) => path.endsWith(end))) {
    return open(refusalResponse({ kind: "unavailable", retryAfterSeconds: 5, description: "Try again in a moment." }));
  }
  return problemPage("unavailable", undefined, { "Retry-After": "5" });
}
