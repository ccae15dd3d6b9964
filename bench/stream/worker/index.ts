/**
 * The Worker of bench:stream: the real one, whose stores count how often they were constructed. A store that sleeps
 * (hibernates) is constructed anew by what wakes it; its sockets, and this isolate, live on.
 */
import worker, { WebhookStore as RealStore } from "../../../worker/src/index.ts";

export { OAuthStore, TenantRegistry, WebhookMcpAgent } from "../../../worker/src/index.ts";

/** Answers with the number of constructions so far, by store. */
const COUNT_PATH = "/bench/store-constructions";
/** Answers with the number of listeners of the store that `?store=` names. */
const LISTENERS_PATH = "/bench/listeners";

const constructions: Record<string, number> = {};

export class WebhookStore extends RealStore {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    const name = ctx.id.name ?? String(ctx.id);
    constructions[name] = (constructions[name] ?? 0) + 1;
  }

  listeners(): number {
    return this.ctx.getWebSockets().length;
  }
}

export default {
  async fetch(request, env, context) {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === COUNT_PATH) return Response.json(constructions);
    if (pathname === LISTENERS_PATH) {
      const store = env.WEBHOOK_STORE.getByName(searchParams.get("store") ?? "");
      return Response.json(await (store as unknown as WebhookStore).listeners());
    }
    return worker.fetch(request, env, context);
  },
} satisfies ExportedHandler<Env>;
