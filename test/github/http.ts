/** A `fetch`-style handler on a loopback port. */
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";

/** null = the connection is cut without an answer. */
export type Handler = (request: Request) => Promise<Response | null>;

export interface Listener {
  url: string;
  close(): Promise<void>;
}

/** Listens on 127.0.0.1; port 0 = any free one. */
export async function listen(handler: Handler, port = 0): Promise<Listener> {
  const server = createServer(async (incoming, outgoing) => {
    let answer: Response | null;
    try {
      answer = await handler(await toRequest(incoming));
    } catch (error) {
      answer = Response.json(
        { message: `stand-in: ${error instanceof Error ? error.message : error}` },
        { status: 422 },
      );
    }
    if (answer === null) {
      incoming.socket.destroy();
      return;
    }
    const headers = [...answer.headers].filter(([name]) => name !== "set-cookie").flat();
    for (const cookie of answer.headers.getSetCookie()) headers.push("set-cookie", cookie);
    outgoing.writeHead(answer.status, headers);
    if (answer.body) Readable.fromWeb(answer.body as never).pipe(outgoing);
    else outgoing.end();
  });
  await new Promise<void>((done, fail) => {
    server.once("error", fail);
    server.listen(port, "127.0.0.1", done);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      const closed = new Promise<void>((done) => server.close(() => done()));
      server.closeAllConnections();
      return closed;
    },
  };
}

async function toRequest(incoming: IncomingMessage): Promise<Request> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const headers = Object.entries(incoming.headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(", ") : value]],
  );
  const method = incoming.method ?? "GET";
  return new Request(new URL(incoming.url ?? "/", `http://${incoming.headers.host}`), {
    method,
    headers,
    body: method === "GET" || method === "HEAD" ? null : Buffer.concat(chunks),
  });
}
