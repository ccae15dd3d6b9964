/**
 * A small server on loopback that speaks MCP 2026-07-28 as far as the bridge needs it, and whatever else a Worker may
 * answer when it is not well.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Seen {
  /** JSON-RPC method, or the HTTP method where there is no body. */
  method: string;
  params: Record<string, unknown>;
  token: string;
  /** The client hung up before it was answered. */
  aborted: boolean;
}

export interface Call extends Seen {
  id: unknown;
  request: IncomingMessage;
  response: ServerResponse;
}

/** Answers a call, or leaves it to the next one with `false`. */
export type Behaviour = (call: Call) => boolean | undefined;

export class HttpWorker {
  /** What is not `/mcp`. */
  elsewhere: (path: string, response: ServerResponse) => void = (_, response) => response.writeHead(404).end();
  /** Asked before the usual answers. */
  behaviour: Behaviour = () => false;
  readonly seen: Seen[] = [];
  tools: Record<string, unknown>[] = [{ name: "echo", inputSchema: { type: "object" } }];
  instructions = "The Worker's words.";
  readonly #server = createServer((request, response) => this.#serve(request, response));

  static async start(port = 0): Promise<HttpWorker> {
    const worker = new HttpWorker();
    await new Promise<void>((done) => worker.#server.listen(port, "127.0.0.1", done));
    return worker;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** How often a method was called. */
  count(method: string): number {
    return this.seen.filter((call) => call.method === method).length;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((done) => this.#server.close(done));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    const path = request.url ?? "/";
    if (path !== "/mcp") return this.elsewhere(path, response);
    const message = body === "" ? {} : JSON.parse(body);
    const call: Call = {
      method: message.method ?? request.method,
      params: message.params ?? {},
      token: request.headers.authorization?.replace("Bearer ", "") ?? "",
      aborted: false,
      id: message.id,
      request,
      response,
    };
    this.seen.push(call);
    response.on("close", () => {
      call.aborted ||= !response.writableFinished;
    });
    if (this.behaviour(call) !== true) this.#answer(call);
  }

  #answer(call: Call): void {
    if (call.request.method !== "POST") call.response.writeHead(405, { Allow: "POST" }).end();
    else if (call.method === "server/discover") result(call, this.#discovery());
    else if (call.method === "tools/list") result(call, { ttlMs: 0, cacheScope: "private", tools: this.tools });
    else if (call.method === "tools/call")
      result(call, { content: [{ type: "text", text: JSON.stringify(call.params) }] });
    else if (call.id === undefined) call.response.writeHead(202).end();
    else if (call.method.endsWith("/list")) result(call, { ttlMs: 0, cacheScope: "private", ...EMPTY[call.method] });
    else error(call, 404, -32601, "Method not found");
  }

  #discovery(): Record<string, unknown> {
    return {
      supportedVersions: ["2026-07-28"],
      capabilities: { tools: {}, prompts: {}, resources: { subscribe: true } },
      instructions: this.instructions,
      ttlMs: 0,
      cacheScope: "private",
      _meta: { "io.modelcontextprotocol/serverInfo": { name: "github-webhook-mcp", version: "1" } },
    };
  }
}

const EMPTY: Readonly<Record<string, object>> = {
  "prompts/list": { prompts: [] },
  "resources/list": { resources: [] },
  "resources/templates/list": { resourceTemplates: [] },
};

export function result({ id, response }: Call, value: Record<string, unknown>): true {
  response.writeHead(200, { "Content-Type": "application/json" });
  response.end(JSON.stringify({ jsonrpc: "2.0", id, result: { resultType: "complete", ...value } }));
  return true;
}

export function error({ id, response }: Call, status: number, code: number, message: string): true {
  response.writeHead(status, { "Content-Type": "application/json" });
  response.end(JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } }));
  return true;
}

/** Begins a stream of server-sent events, and gives what writes one message to it. */
export function stream({ response }: Call): (message: Record<string, unknown>) => void {
  response.writeHead(200, { "Content-Type": "text/event-stream" });
  response.write(": open\n\n");
  return (message) => response.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`);
}

export function status(call: Call, code: number, headers: Record<string, string> = {}, body = ""): true {
  call.response.writeHead(code, headers).end(body);
  return true;
}
