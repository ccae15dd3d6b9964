/**
 * The Worker of bench:oauth: the real one, whose requests to Durable Objects are counted where the Worker makes them.
 * What the objects ask of each other is not counted: no bearer check does.
 */
import worker from "../../../worker/src/index.ts";

export { OAuthStore, TenantRegistry, WebhookMcpAgent, WebhookStore } from "../../../worker/src/index.ts";

/** Answers with the number of requests so far. */
const COUNT_PATH = "/bench/durable-object-requests";

let requests = 0;

/** A stub's methods are got and called in one step, so that a call is one request. */
function counted<T extends object>(namespace: T): T {
  const stubOf = (stub: object) =>
    new Proxy(stub, {
      get: (target, name) => {
        const method = (...args: unknown[]) => {
          requests++;
          return (target as Record<PropertyKey, (...args: unknown[]) => unknown>)[name]!(...args);
        };
        return method;
      },
    });
  return {
    getByName: (name: string) => stubOf((namespace as unknown as DurableObjectNamespace).getByName(name)),
  } as unknown as T;
}

let countedEnv: Env | null = null;

function counting(env: Env): Env {
  countedEnv ??= {
    ...env,
    TENANT_REGISTRY: counted(env.TENANT_REGISTRY),
    WEBHOOK_STORE: counted(env.WEBHOOK_STORE),
    MCP_AGENT: counted(env.MCP_AGENT),
    OAUTH_STORE: counted(env.OAUTH_STORE),
  };
  return countedEnv;
}

export default {
  fetch(request, env, context) {
    if (new URL(request.url).pathname === COUNT_PATH) return Response.json(requests);
    return worker.fetch(request, counting(env), context);
  },
} satisfies ExportedHandler<Env>;
