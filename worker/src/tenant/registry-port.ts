import type { RegistryPort } from "../ports.ts";
import { retryOnReset } from "../retry.ts";
import type { TenantRegistry } from "./tenant.ts";

/** There is one registry for the Worker. */
const INSTANCE = "registry";

/**
 * The registry behind its port, each call once more after a reset. A lease whose answer was lost that way is taken
 * twice: the account can store one lease less in that hour, and never more than its quota.
 */
export function registryPort(namespace: DurableObjectNamespace<TenantRegistry>): RegistryPort {
  const stub = () => namespace.getByName(INSTANCE);
  return {
    resolve: (installationId) => retryOnReset(() => stub().resolve(installationId)),
    admit: (account, installationId) => retryOnReset(() => stub().admit(account, installationId)),
    apply: (change) => retryOnReset(() => stub().apply(change)),
    lease: (accountId, wanted) => retryOnReset(() => stub().lease(accountId, wanted)),
    accounts: () => retryOnReset(() => stub().accounts()),
  };
}
