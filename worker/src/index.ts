/** The Worker's entry: its Durable Object classes, and the app on top of them. */
import { createApp, createMisconfiguredApp } from "./app.ts";
import { readConfig } from "./config.ts";
import { oauthPort } from "./grants/oauth-port.ts";
import { durableStores } from "./inbox/stores.ts";
import { log } from "./log.ts";
import { registryPort } from "./tenant/registry-port.ts";
import { ReceiverMemory } from "./webhook/route.ts";

export { OAuthStore } from "./grants/oauth-store.ts";
export { WebhookMcpAgent } from "./mcp/agent.ts";
export { WebhookStore } from "./store/store.ts";
export { TenantRegistry } from "./tenant/tenant.ts";

type App = ReturnType<typeof createApp>;

/** One app for each `env`; a deployed isolate has one for its whole life. */
const apps = new WeakMap<Env, App>();

function appOf(env: Env): App {
  let app = apps.get(env);
  if (!app) {
    app = connect(env);
    apps.set(env, app);
  }
  return app;
}

function connect(env: Env): App {
  const configured = readConfig(env);
  if (!configured.ok) {
    log("error", "misconfigured", { errors: configured.errors.join("; ") });
    return createMisconfiguredApp(configured.errors);
  }
  return createApp({
    config: configured.config,
    registry: registryPort(env.TENANT_REGISTRY),
    stores: durableStores(env.WEBHOOK_STORE),
    oauth: oauthPort(env.OAUTH_STORE),
    agent: (userId) => env.MCP_AGENT.getByName(`tenant-${userId}`),
    receiver: new ReceiverMemory(),
  });
}

export default {
  fetch: (request, env, context) => appOf(env).fetch(request, env, context),
} satisfies ExportedHandler<Env>;
