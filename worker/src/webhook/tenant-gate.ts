/**
 * Whose store a delivery goes to.
 *
 * The registry is the truth. What it answered is kept in the isolate, so that a tenant's second webhook asks nobody:
 * an installation never moves to another account, and a deleted one's late events still belong to its account.
 */
import type { AccountFacts, EventFacts } from "@github-webhook-mcp/shared/event-facts.ts";
import { BoundedMap } from "../bounded-map.ts";
import type { RegistryPort } from "../ports.ts";
import { OPERATOR_ACCOUNT } from "../viewer.ts";
import type { Rejection } from "./rejection.ts";

/** Entries of each kind that an isolate keeps; some 100 bytes each. */
const MAX_KNOWN = 20_000;

/** What this isolate has learnt from the registry. */
export class KnownTenants {
  /** Installation → account. */
  readonly installations = new BoundedMap<number, number>(MAX_KNOWN);
  /** Account → the login under which the registry knows it. */
  readonly logins = new BoundedMap<number, string>(MAX_KNOWN);
}

export type TenantResult = { accountId: number } | { rejection: Rejection };

/**
 * Finds the account of a delivery, and makes it known where it is new.
 *
 * @param trusted the payload was signed, or came in local mode. What is not trusted reaches only tenants that the
 *   registry knows already, and teaches it nothing
 */
export async function tenantOf(
  facts: EventFacts,
  trusted: boolean,
  registry: Pick<RegistryPort, "resolve" | "admit">,
  known: KnownTenants,
): Promise<TenantResult> {
  const { installationId, account } = facts;
  if (!trusted) return knownTenant(installationId, registry);
  if (installationId !== null) {
    const accountId = await installationAccount(installationId, account, registry, known);
    return { accountId: accountId ?? OPERATOR_ACCOUNT };
  }
  if (account === null) return { accountId: OPERATOR_ACCOUNT };
  if (known.logins.get(account.id) !== account.login) {
    await registry.admit(account, null);
    known.logins.set(account.id, account.login);
  }
  return { accountId: account.id };
}

/** The tenant of a delivery that nobody signed: asked of the registry each time, so that a deletion counts at once. */
async function knownTenant(
  installationId: number | null,
  registry: Pick<RegistryPort, "resolve">,
): Promise<TenantResult> {
  const record = installationId === null ? null : await registry.resolve(installationId);
  if (record === null || record.deleted) return { rejection: { kind: "unknown-installation", installationId } };
  return { accountId: record.accountId };
}

/** The account of an installation, which registers itself where it is new; null where its payload names no account. */
async function installationAccount(
  installationId: number,
  account: AccountFacts | null,
  registry: Pick<RegistryPort, "resolve" | "admit">,
  known: KnownTenants,
): Promise<number | null> {
  const cached = known.installations.get(installationId);
  if (cached !== undefined) return cached;
  const record = await registry.resolve(installationId);
  if (record === null && account === null) return null;
  const { accountId } = record ?? (await registry.admit(account as AccountFacts, installationId));
  known.installations.set(installationId, accountId);
  return accountId;
}
