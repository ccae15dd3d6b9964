/**
 * The bridge without a Worker to speak to: WEBHOOK_WORKER_URL is missing or no address. It lists its tools, and every
 * call says what to set. A server that ended instead would only be "failed" to its user, with the reason in a log.
 */
import type { BridgeState } from "../ports.ts";
import { builtInLists } from "../proxy/built-in-lists.ts";
import { createProxy } from "../proxy/proxy.ts";
import { VERSION } from "../version.ts";
import { serve } from "./serve.ts";

/**
 * Never resolves: the process ends with its client.
 * @param sentence what is wrong with the configuration
 */
export async function runUnconfigured(sentence: string): Promise<never> {
  const unavailable = { outcome: "unavailable", sentence } as const;
  const nothing = () => {};
  let state: BridgeState = {};
  const proxy = createProxy({
    session: {
      request: async () => unavailable,
      instructions: () => null,
      onNotification: nothing,
      watchResources: nothing,
      close: async () => {},
    },
    access: { token: async () => unavailable, reject: nothing, onAvailable: nothing, close: nothing },
    state: {
      read: async () => state,
      update: async (change) => {
        state = change(state);
        return state;
      },
      exclusive: (_, step) => step(),
      tryExclusive: async (_, step) => ({ result: await step() }),
      diskProblem: async () => null,
    },
    builtInLists,
    version: VERSION,
    // Nothing will be pushed: there is no stream.
    channelEnabled: false,
    channelConnected: async () => {},
  });
  await serve(proxy, async () => {});
  return await new Promise<never>(() => {});
}
