/** The bridge itself: an MCP server on stdin and stdout, in front of the Worker, until its client has gone. */
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { openBrowser } from "../access/browser.ts";
import { createChannel } from "../channel/channel.ts";
import { endWithClient } from "../exit.ts";
import { warn } from "../log.ts";
import type { BridgeConfig } from "../ports.ts";
import { builtInLists } from "../proxy/built-in-lists.ts";
import { createProxy } from "../proxy/proxy.ts";
import { claimStdout } from "../stdout.ts";
import { VERSION } from "../version.ts";
import { createWorkerSession } from "../worker/session.ts";
import { makeParts } from "./parts.ts";

/** Never resolves: the process ends with its client (exit.ts). */
export async function runBridge(config: BridgeConfig): Promise<never> {
  const stdout = claimStdout();
  surviveErrors();
  const { workerUrl } = config;
  const { network, state, access } = makeParts(config, (url) => {
    if (!proxy.opensPages()) openBrowser(url);
  });
  const session = createWorkerSession({ network, access, workerUrl, version: VERSION });
  const channel = createChannel({
    network,
    access,
    state,
    workerUrl,
    config: config.channel,
    notify: (notification) => proxy.notify(notification),
  });
  const proxy = createProxy({
    session,
    access,
    state,
    builtInLists,
    version: VERSION,
    channelEnabled: config.channel.enabled,
    channelConnected: () => channel.connected(),
  });
  endWithClient(async () => {
    channel.close();
    access.close();
    await Promise.all([session.close(), proxy.close(), network.close()]);
  });
  await proxy.connect(new StdioServerTransport(process.stdin, stdout));
  channel.start();
  return await new Promise<never>(() => {});
}

/** What nobody caught must not end the process, nor go unsaid. */
function surviveErrors(): void {
  for (const event of ["uncaughtException", "unhandledRejection"] as const) {
    process.on(event, (error: unknown) => {
      // A pipe that broke is the client's end (exit.ts); to write about it would break again.
      if ((error as NodeJS.ErrnoException | null)?.code === "EPIPE") return;
      warn(
        `Something went wrong, and was caught: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      );
    });
  }
}
