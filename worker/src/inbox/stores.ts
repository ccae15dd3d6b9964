/** The stores behind their Durable Object namespace. */
import type { StorePort, StoresPort } from "../ports.ts";
import { retryOnReset } from "../retry.ts";
import type { WebhookStore } from "../store/store.ts";

/** Stores by account (`store-{accountId}`); a call that a reset broke off is made once more, on a fresh stub. */
export function durableStores(namespace: DurableObjectNamespace<WebhookStore>): StoresPort {
  return { store: (accountId) => retrying(() => namespace.getByName(`store-${accountId}`)) };
}

/** Every call of the port may run twice: reads change nothing, deliveries are deduplicated, marks are idempotent. */
function retrying(stub: () => DurableObjectStub<WebhookStore>): StorePort {
  return new Proxy({} as StorePort, {
    get:
      (_, method: keyof StorePort) =>
      (...args: unknown[]) =>
        retryOnReset(() => {
          const methods = stub() as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
          return methods[method]!(...args);
        }),
  });
}
