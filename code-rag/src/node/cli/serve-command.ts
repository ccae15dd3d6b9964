import { resolve } from "node:path";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { cacheDirectory, defaultDatabase } from "../host/database-path.ts";
import { IndexService } from "../host/index-service.ts";
import { openExistingIndex } from "../host/open-index.ts";
import { parseTarget, type Target, targetKey } from "../host/targets.ts";
import { serveHttp } from "../mcp/http.ts";
import { createServer } from "../mcp/server.ts";
import { modelSettings } from "../models/settings.ts";
import type { Arguments } from "./arguments.ts";

/**
 * `code-rag serve`: answers at once and, where paths or a repository are named or an index is not complete, indexes
 * meanwhile. Ends when the client closes stdin, or on a signal.
 */
export async function serveCommand(args: Arguments, env: NodeJS.ProcessEnv): Promise<number> {
  const cache = resolve(args.cache ?? cacheDirectory(env));
  const named = [...args.operands, ...(args.repo ? [args.repo] : [])];
  const targets = named.map((name) => parseTarget(name, args.ref, env));
  const database = databaseFor(args, targets, cache);
  const service = await IndexService.open({ database, targets, models: modelSettings(args, env), cache, env });
  if (service.wantsRefresh) service.refresh().catch((error: Error) => console.error(`code-rag: ${error.message}`));
  const stop = args.http ? await startHttp(service, args.port) : startStdio(service);
  await ended(args.http);
  await stop();
  await service.close();
  return 0;
}

function databaseFor(args: Arguments, targets: readonly Target[], cache: string): string {
  if (args.db !== undefined && targets.length > 0) return resolve(args.db);
  if (targets.length > 0) return defaultDatabase(targets.map(targetKey), cache);
  const database = resolve(args.db ?? "index.db");
  openExistingIndex(database).close();
  return database;
}

function startStdio(service: IndexService): () => Promise<void> {
  const handle = serveStdio(() => createServer(service), {
    onerror: (error) => console.error(`code-rag: ${error.message}`),
  });
  return () => handle.close();
}

async function startHttp(service: IndexService, port: number): Promise<() => Promise<void>> {
  const server = await serveHttp(service, port);
  const address = server.address();
  console.error(`code-rag: http://127.0.0.1:${typeof address === "object" ? address?.port : port}/mcp`);
  return async () => {
    server.close();
    server.closeAllConnections();
  };
}

/** Resolves when the process is asked to stop or, on stdio, when the client is gone. */
function ended(http: boolean): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => resolve());
    if (http) return;
    process.stdin.once("close", () => resolve());
    process.stdin.once("end", () => resolve());
  });
}
