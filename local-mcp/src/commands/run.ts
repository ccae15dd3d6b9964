/** The bridge itself: an MCP server on stdin and stdout, in front of the Worker, until its client has gone. */
import { openBrowser } from "../access/browser.ts";
import { createChannel } from "../channel/channel.ts";
import type { BridgeConfig } from "../ports.ts";
import { builtInLists } from "../proxy/built-in-lists.ts";
import { createProxy } from "../proxy/proxy.ts";
import { VERSION } from "../version.ts";
import { createWorkerSession } from "../worker/session.ts";
import { makeParts } from "./parts.ts";
import { serve } from "./serve.ts";

/** Never resolves: the process ends with its client (exit.ts). */
export async function runBridge(config: BridgeConfig): Promise<never> {
  const { workerUrl } = config;
  const { network, state, access } = makeParts(config, {
    open: (url) => {
      if (!proxy.opensPages()) openBrowser(url);
    },
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
  await serve(proxy, async () => {
    channel.close();
    access.close();
    await Promise.all([session.close(), network.close()]);
  });
  channel.start();
  return await new Promise<never>(() => {});
}
