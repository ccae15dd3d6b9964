/** One timed request over a connection that is kept. */
import { Agent, request as httpRequest } from "node:http";

const TIMEOUT_MS = 30_000;

export interface Answer {
  status: number;
  body: string;
  /** From sending to the whole answer. */
  ms: number;
}

export interface Call {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

export class Http {
  readonly #origin: string;
  readonly #agent: Agent;

  constructor(origin: string, connections: number) {
    this.#origin = origin;
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections });
  }

  send({ method = "GET", path, headers = {}, body = "" }: Call): Promise<Answer> {
    return new Promise((done, fail) => {
      const start = performance.now();
      const length = body === "" ? {} : { "Content-Length": String(Buffer.byteLength(body)) };
      const request = httpRequest(
        this.#origin + path,
        { method, agent: this.#agent, headers: { ...headers, ...length }, timeout: TIMEOUT_MS },
        (response) => {
          response.setEncoding("utf8");
          let text = "";
          response.on("data", (chunk) => {
            text += chunk;
          });
          response.on("end", () =>
            done({ status: response.statusCode ?? 0, body: text, ms: performance.now() - start }),
          );
        },
      );
      request.on("timeout", () => request.destroy(new Error(`${path}: no answer`)));
      request.on("error", fail);
      request.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
