/**
 * Hands requests on with a bearer token, and changes nothing else: the conformance suite can't send one. Host and
 * Origin stay as the suite writes them, since it tests what the server makes of them.
 */
import { createServer, request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";

export interface BearerProxy {
  url: string;
  close(): void;
}

/** Listens on a free loopback port. */
export async function bearerProxy(target: string, token: string): Promise<BearerProxy> {
  const server = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${token}` };
    const forwarded = httpRequest(new URL(incoming.url ?? "/", target), { method: incoming.method, headers });
    forwarded.on("response", (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    forwarded.on("error", () => outgoing.destroy());
    // A client that hangs up ends the stream on the other side, too.
    outgoing.on("close", () => forwarded.destroy());
    incoming.pipe(forwarded);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
