import { DurableObject } from "cloudflare:workers";

export { WebhookStore } from "./store/store.ts";
export { TenantRegistry } from "./tenant/tenant.ts";
export class WebhookMcpAgent extends DurableObject<Env> {}
export default {
  async fetch() {
    return new Response("not yet", { status: 501 });
  },
} satisfies ExportedHandler<Env>;
