/**
 * Which deliveries change the registry, and how. Only those of the GitHub App itself do: a repository's or an
 * organization's webhook can be set up by anyone who holds the secret, and is stored, but speaks for no installation.
 *
 * `installation_repositories` changes nothing here, since which repositories an installation covers is asked of GitHub
 * when it matters; that the installation exists is recorded by the tenant gate.
 */
import type { EventFacts } from "@github-webhook-mcp/shared/event-facts.ts";
import type { IngestDelivery, RegistryChange, RegistryPort } from "../ports.ts";
import type { Delivery } from "./delivery.ts";

/** Whether the delivery comes from this Worker's GitHub App: from any App, where its id is not configured. */
export function fromApp(delivery: Delivery, appId: number | null): boolean {
  return delivery.hookTargetType === "integration" && (appId === null || delivery.hookTargetId === String(appId));
}

const INSTALLATION_ACTIONS = {
  created: "installed",
  new_permissions_accepted: "installed",
  deleted: "uninstalled",
  suspend: "suspended",
  unsuspend: "unsuspended",
} as const;

/** What a delivery of the App changes in the registry; null for nearly all of them. */
export function registryChange(event: string, facts: EventFacts, payload: unknown): RegistryChange | null {
  const { account, action, installationId } = facts;
  if (account === null || action === null) return null;
  if (event === "installation") {
    if (installationId === null || !Object.hasOwn(INSTALLATION_ACTIONS, action)) return null;
    const kind = INSTALLATION_ACTIONS[action as keyof typeof INSTALLATION_ACTIONS];
    return { kind, installationId, account, at: updatedAt(payload) };
  }
  const renames = event === "installation_target" || event === "organization";
  return renames && action === "renamed" ? { kind: "renamed", account } : null;
}

/**
 * Takes a lifecycle delivery's change over into the registry, before it is stored: if storing fails, the redelivery
 * does both again, and neither minds.
 *
 * @returns what it means for the account's store: what the registry says after the change, since deliveries overtake
 *   one another and an account may have installed anew; undefined where it means nothing
 */
export async function takeOverChange(
  event: string,
  facts: EventFacts,
  payload: unknown,
  registry: Pick<RegistryPort, "apply">,
): Promise<IngestDelivery["lifecycle"]> {
  const change = registryChange(event, facts, payload);
  if (change === null) return undefined;
  const { installed } = await registry.apply(change);
  if (change.kind !== "installed" && change.kind !== "uninstalled") return undefined;
  return installed ? "installed" : "uninstalled";
}

/** `installation.updated_at`: GitHub sends ISO 8601 text, or seconds since the epoch in some deliveries. */
function updatedAt(payload: unknown): number | null {
  const value = (payload as { installation?: { updated_at?: unknown } }).installation?.updated_at;
  const time = typeof value === "string" ? Date.parse(value) : typeof value === "number" ? value * 1000 : Number.NaN;
  return Number.isSafeInteger(time) ? time : null;
}
