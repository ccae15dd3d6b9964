import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { localhostHostValidation, localhostOriginValidation, toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { CodeRagError } from "../errors.ts";
import type { IndexService } from "../host/index-service.ts";
import { createServer } from "./server.ts";

const PATH = "/mcp";
const LOOPBACK = "127.0.0.1";

/**
 * Streamable HTTP on 127.0.0.1. A web page must not reach it: `Host` must name this machine (DNS rebinding), `Origin`
 * must be absent or loopback, and a body must say that it is JSON (which a form or a simple cross-site request cannot).
 */
export async function serveHttp(service: IndexService, port: number): Promise<Server> {
  const hostIsLocal = localhostHostValidation();
  const originIsLocal = localhostOriginValidation();
  const mcp = toNodeHandler(createMcpHandler(() => createServer(service)));
  const server = createHttpServer(async (request, response) => {
    if (!hostIsLocal(request, response) || !originIsLocal(request, response)) return;
    if (new URL(request.url ?? "/", `http://${LOOPBACK}`).pathname !== PATH)
      return refuse(response, 404, `The MCP endpoint is ${PATH}.`);
    if (request.method === "POST" && !isJson(request))
      return refuse(response, 415, "The body must be application/json.");
    await mcp(request, response);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const reason =
        error.code === "EADDRINUSE" ? "is in use; choose another --port" : `cannot be opened (${error.code})`;
      reject(new CodeRagError("usage", `Port ${port} ${reason}.`));
    });
    server.listen(port, LOOPBACK, resolve);
  });
  return server;
}

function isJson(request: IncomingMessage): boolean {
  const type = request.headers["content-type"] ?? "";
  return type.split(";")[0]?.trim().toLowerCase() === "application/json";
}

function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8" }).end(`${message}\n`);
}
