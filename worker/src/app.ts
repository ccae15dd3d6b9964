/**
 * The Worker's HTTP surface: which path leads into which room, and what stands before all of them. Wiring only.
 */
import { type Context, Hono } from "hono";
import { secureHeaders } from "hono/secure-headers";
import manifest from "../package.json" with { type: "json" };
import { apiRoutes } from "./api/routes.ts";
import { type Config, localMode } from "./config.ts";
import { LOCAL_RECHECK_MS, RECHECK_MS } from "./grants/access-watch.ts";
import { authenticate, insufficientScope, recheck } from "./grants/bearer.ts";
import type { OAuthPort } from "./grants/oauth-port.ts";
import { TokenCache } from "./grants/token-cache.ts";
import { localModeRefusal } from "./local-mode.ts";
import { errorText, log } from "./log.ts";
import { handleMcp } from "./mcp/route.ts";
import { oauthRoutes, wellKnownRoutes } from "./oauth/routes.ts";
import type { AgentPort, McpCaller, RegistryPort, StoresPort } from "./ports.ts";
import { RateLimiter } from "./rate-limit.ts";
import { handleEvents } from "./stream/route.ts";
import { type ReceiverMemory, webhookRoute } from "./webhook/route.ts";

export interface AppDeps {
  config: Config;
  registry: RegistryPort;
  stores: StoresPort;
  oauth: OAuthPort;
  /** The agent of a user. */
  agent(userId: number): AgentPort;
  /** What the webhook receiver remembers in this isolate. */
  receiver: ReceiverMemory;
}

interface AppEnv {
  Variables: { caller: McpCaller };
}

/** The Worker with a configuration that can be understood. */
export function createApp({ config, registry, stores, oauth, agent, receiver }: AppDeps): Hono<AppEnv> {
  const { operatorIds } = config;
  const tokens = new TokenCache(oauth.check);
  const limiter = new RateLimiter();
  const bearerDeps = (request: Request) => {
    const local = localMode(config, new URL(request.url));
    const localToken = local ? config.localToken : null;
    const { publicUrl } = configAt(config, request);
    return { publicUrl, local, localToken, registry, tokens, limiter, operatorIds };
  };
  const bearer = (request: Request) => authenticate(request, bearerDeps(request));
  /** The same for an answer that lasts. */
  const lasting = (request: Request) => {
    const deps = bearerDeps(request);
    return {
      authenticate: bearer,
      recheck: (again: Request) => recheck(again, deps),
      recheckMs: deps.local ? LOCAL_RECHECK_MS : RECHECK_MS,
    };
  };

  const app = base();

  app.use(async (context, next) => {
    const refusal = localModeRefusal(config, context.req.raw);
    if (refusal === null) return next();
    log("warn", "local_mode_refused", { path: context.req.path, reason: refusal });
    return context.json({ error: "forbidden", message: refusal }, 403);
  });

  app.get("/healthz", (context) =>
    context.json({
      status: "ok",
      version: manifest.version,
      signature: config.webhookSecrets.length > 0 ? "on" : "off",
      github: config.githubHost,
    }),
  );
  app.all("/healthz", methodNotAllowed("GET, HEAD"));

  app.all("/webhooks/github", (context) =>
    webhookRoute(context.req.raw, {
      config,
      registry,
      stores,
      access: oauth,
      memory: receiver,
      waitUntil: (work) => context.executionCtx.waitUntil(work),
      now: Date.now,
    }),
  );

  for (const path of ["/mcp", "/mcp/"]) {
    app.all(path, (context) => handleMcp(context.req.raw, { ...lasting(context.req.raw), agent }));
  }

  app.all("/events", (context) => {
    const request = context.req.raw;
    return handleEvents(request, { stores, publicUrl: configAt(config, request).publicUrl, ...lasting(request) });
  });

  app.use("/api/*", async (context, next) => {
    const authentication = await bearer(context.req.raw);
    if (!authentication.ok) return authentication.response;
    context.set("caller", authentication.caller);
    await next();
    if (context.res.status === 403)
      context.header("WWW-Authenticate", insufficientScope(configAt(config, context.req.raw).publicUrl));
  });
  app.route("/api", apiRoutes({ stores }));

  app.route(
    "/oauth",
    oauthRoutes((request) => ({ config: configAt(config, request), oauth, limiter })),
  );
  app.route(
    "/.well-known",
    wellKnownRoutes((request) => configAt(config, request).publicUrl),
  );

  return app;
}

/**
 * The configuration as it holds for a request. In local mode the Worker has every loopback name: a client compares the
 * one that it was given with what the metadata say (RFC 8414 §3.3, RFC 9728 §3.3), so each is told its own.
 */
function configAt(config: Config, request: Request): Config {
  const url = new URL(request.url);
  return localMode(config, url) ? { ...config, publicUrl: url.origin } : config;
}

/** The Worker with a configuration that can't be: it says so, and serves nothing. `errors` name variables, no values. */
export function createMisconfiguredApp(errors: readonly string[]): Hono<AppEnv> {
  const app = base();
  app.get("/healthz", (context) => context.json({ status: "misconfigured", version: manifest.version, errors }, 503));
  app.all("*", (context) =>
    context.json({ error: "misconfigured", message: "This Worker's configuration can't be understood.", errors }, 503),
  );
  return app;
}

/** What both have in common: headers, and JSON for what no room answers. */
function base(): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  // Under `no-referrer` browsers send `Origin: null` with a page's own forms (Fetch Standard, "append a request Origin
  // header"), which could not be told from a foreign page's.
  app.use("/oauth/*", async (context, next) => {
    await next();
    context.header("Referrer-Policy", "same-origin");
  });
  app.use(
    secureHeaders({
      strictTransportSecurity: "max-age=15552000",
      xFrameOptions: "DENY",
      // Only of use to pages, and to browsers of long ago.
      crossOriginOpenerPolicy: false,
      originAgentCluster: false,
      xDnsPrefetchControl: false,
      xDownloadOptions: false,
      xPermittedCrossDomainPolicies: false,
      xXssProtection: false,
    }),
  );
  app.notFound((context) => context.json({ error: "not_found", message: "There is nothing at this path." }, 404));
  app.onError(unexpected);
  return app;
}

function methodNotAllowed(allow: string) {
  return (context: Context) =>
    context.json({ error: "method_not_allowed", message: `This path takes ${allow}.` }, 405, { Allow: allow });
}

/** The last resort. What an error says is for the log: the answer carries an id by which it is found there. */
function unexpected(error: Error, context: Context): Response {
  const id = crypto.randomUUID();
  log("error", "unexpected_error", {
    id,
    method: context.req.method,
    path: context.req.path,
    error: errorText(error),
    stack: error.stack?.slice(0, 2_000),
  });
  if ("overloaded" in error || "retryable" in error) {
    // https://developers.cloudflare.com/durable-objects/best-practices/error-handling/
    const message = "A Durable Object could not answer right now; try again.";
    return context.json({ error: "unavailable", message, id }, 503, { "Retry-After": "5" });
  }
  return context.json({ error: "internal", message: "Something went wrong on our side.", id }, 500);
}
