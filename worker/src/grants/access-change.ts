/**
 * What a change at GitHub, told by a webhook, takes from the access of grants. It can only take: what is gained is
 * read from GitHub at the next refresh, which an ended access token brings about.
 */
import type { AccessAccount, AccessChange } from "../ports.ts";
import type { GrantRecord } from "./records.ts";

/** What becomes of a grant: nothing, its end, or less access with its access tokens expired. */
export type Effect = { kind: "none" } | { kind: "end" } | { kind: "reduce"; access: AccessAccount[] };

/** The effect of a change on one grant. */
export function effectOf(change: AccessChange, grant: Pick<GrantRecord, "userId" | "local" | "access">): Effect {
  if (grant.local) return { kind: "none" };
  if (change.userId !== null && change.userId !== grant.userId) return { kind: "none" };
  if (change.kind === "authorization-revoked") return { kind: "end" };
  const has = grant.access.some((account) => account.accountId === change.accountId);
  // A user who is named may have gained an account that the grant does not know yet.
  if (!has && change.userId === null) return { kind: "none" };
  return { kind: "reduce", access: reduced(grant.access, change) };
}

function reduced(
  access: readonly AccessAccount[],
  change: Exclude<AccessChange, { kind: "authorization-revoked" }>,
): AccessAccount[] {
  return access.flatMap((account) => {
    if (account.accountId !== change.accountId) return [account];
    switch (change.kind) {
      case "account-lost":
        return [];
      case "repositories-lost": {
        if (account.repositories === "all") return [account];
        const repositories = account.repositories.filter((id) => !change.repositories.includes(id));
        return [{ ...account, repositories }];
      }
      case "changed":
        return [account];
      default:
        return change satisfies never;
    }
  });
}
