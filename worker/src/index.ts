import { DurableObject } from "cloudflare:workers";

export { TenantRegistry } from "./tenant/tenant.ts";
export class WebhookStore extends DurableObject<Env> {}
export class WebhookMcpAgent extends DurableObject<Env> {}
export default {
  async fetch() {
    return new Response("not yet", { status: 501 });
  },
} satisfies ExportedHandler<Env>;
