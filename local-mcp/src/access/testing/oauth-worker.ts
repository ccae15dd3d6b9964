/** A small server on loopback that signs in, refreshes and revokes as the Worker does, and counts what it was asked. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Answers a request to the token endpoint itself: `true`. */
export type Fault = (form: URLSearchParams, response: ServerResponse) => boolean;

export class OAuthWorker {
  /** Origin; stays when it is closed. */
  url = "";
  /** One line for each request: the path, or the grant type's last part. */
  readonly asked: string[] = [];
  /** Asked before the usual answers. */
  fault: Fault = () => false;
  /** Client ids that are known; registration adds one. */
  readonly clients = new Set<string>();
  /** Refresh tokens that are good. */
  readonly refreshTokens = new Set<string>();
  expiresInSeconds = 3_600;
  /** How long an answer takes, in milliseconds. */
  slowness = 0;
  readonly #approved = new Set<string>();
  #made = 0;
  readonly #server = createServer((request, response) => void this.#serve(request, response));

  static async start(): Promise<OAuthWorker> {
    const worker = new OAuthWorker();
    await new Promise<void>((done) => worker.#server.listen(0, "127.0.0.1", done));
    worker.url = `http://127.0.0.1:${(worker.#server.address() as AddressInfo).port}`;
    return worker;
  }

  count(what: string): number {
    return this.asked.filter((asked) => asked === what).length;
  }

  /** A person signs in at the page of this authorize URL. */
  approve(authorizeUrl: string): void {
    this.#approved.add(new URL(authorizeUrl).searchParams.get("state") ?? "");
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((done) => this.#server.close(done));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    if (this.slowness > 0) await new Promise((done) => setTimeout(done, this.slowness));
    const path = request.url ?? "";
    if (path === "/oauth/register") {
      this.asked.push("register");
      const client_id = `client-${++this.#made}`;
      this.clients.add(client_id);
      return json(response, 201, { client_id });
    }
    const form = new URLSearchParams(body);
    if (path === "/oauth/revoke") {
      this.asked.push("revoke");
      this.refreshTokens.delete(form.get("token") ?? "");
      return json(response, 200, {});
    }
    if (path !== "/oauth/token") return json(response, 404, {});
    this.asked.push(form.get("grant_type") === "refresh_token" ? "refresh" : "poll");
    if (this.fault(form, response)) return;
    if (!this.clients.has(form.get("client_id") ?? "")) return json(response, 401, { error: "invalid_client" });
    if (form.get("grant_type") === "refresh_token") {
      const used = form.get("refresh_token") ?? "";
      // Stricter than the Worker, which gives the same pair again: whoever refreshes twice is found out.
      if (!this.refreshTokens.delete(used)) return json(response, 400, { error: "invalid_grant" });
      return this.#issue(response);
    }
    if (!this.#approved.delete(form.get("state") ?? "")) {
      return json(response, 400, { error: "authorization_pending" });
    }
    this.#issue(response);
  }

  #issue(response: ServerResponse): void {
    const refresh_token = `refresh-${++this.#made}`;
    this.refreshTokens.add(refresh_token);
    json(response, 200, { access_token: `access-${this.#made}`, refresh_token, expires_in: this.expiresInSeconds });
  }
}

export function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
}
