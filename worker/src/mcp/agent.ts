/**
 * WebhookMcpAgent: the MCP server of one signed-in user (`tenant-{userId}`).
 *
 * State: none on disk. In memory, only what listens at the moment (open `subscriptions/listen` streams and their
 * sockets to the stores). Who is asking, and what they see, comes with each request.
 *
 * Lifecycle: asleep unless a request is under way; a listener keeps it awake. A reset ends the listeners' streams, and
 * their clients come again.
 */
import { DurableObject } from "cloudflare:workers";
import manifest from "../../package.json" with { type: "json" };
import { readConfig } from "../config.ts";
import { durableStores } from "../inbox/stores.ts";
import type { AgentPort, McpCaller } from "../ports.ts";
import { McpService } from "./service.ts";

export class WebhookMcpAgent extends DurableObject<Env> implements AgentPort {
  #service: McpService | null = null;

  serve(request: Request, caller: McpCaller): Promise<Response> {
    this.#service ??= this.#start();
    return this.#service.serve(request, caller);
  }

  #start(): McpService {
    const configured = readConfig(this.env);
    if (!configured.ok) throw new Error(`configuration: ${configured.errors.join("; ")}`);
    return new McpService({
      stores: durableStores(this.env.WEBHOOK_STORE),
      publicUrl: configured.config.publicUrl,
      version: manifest.version,
    });
  }
}
