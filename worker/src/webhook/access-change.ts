/**
 * Which deliveries of the App change who may see what, so that grants lose it at once. A webhook can't read GitHub (the
 * users' tokens are sealed): what may have been gained is read at the refresh that follows.
 */
import type { EventFacts } from "@github-webhook-mcp/shared/event-facts.ts";
import type { AccessChange } from "../ports.ts";

/** What happened to a repository that someone may have lost, or gained. */
const REPOSITORY_ACTIONS = new Set(["created", "deleted", "privatized", "publicized", "transferred", "archived"]);

/** The change of access that a delivery tells; null for nearly all of them. */
export function accessChange(
  event: string,
  { action, account, repository }: EventFacts,
  payload: unknown,
): AccessChange | null {
  if (event === "github_app_authorization") {
    const userId = idAt(payload, "sender");
    return action === "revoked" && userId !== null ? { kind: "authorization-revoked", userId } : null;
  }
  if (account === null || action === null) return null;
  const accountId = account.id;
  switch (event) {
    case "installation":
      if (action === "deleted" || action === "suspend") return { kind: "account-lost", accountId, userId: null };
      return { kind: "changed", accountId, userId: idAt(payload, "sender") };
    case "installation_repositories":
      return {
        kind: "repositories-lost",
        accountId,
        repositories: idsAt(payload, "repositories_removed"),
        userId: null,
      };
    case "repository":
      if (!REPOSITORY_ACTIONS.has(action)) return null;
      // Who had it as a member of the old owner, or while it was public, may not see it any more.
      if (repository !== null && (action === "privatized" || action === "transferred" || action === "deleted")) {
        return { kind: "repositories-lost", accountId, repositories: [repository.id], userId: null };
      }
      return { kind: "changed", accountId, userId: null };
    case "organization": {
      const userId = idAt(payload, "membership", "user");
      if (action === "member_removed") return userId === null ? null : { kind: "account-lost", accountId, userId };
      return action === "member_added" && userId !== null ? { kind: "changed", accountId, userId } : null;
    }
    case "member": {
      const userId = idAt(payload, "member");
      if (userId === null) return null;
      if (action !== "removed" || repository === null) return { kind: "changed", accountId, userId };
      return { kind: "repositories-lost", accountId, repositories: [repository.id], userId };
    }
    case "membership":
      return { kind: "changed", accountId, userId: idAt(payload, "member") };
    case "team": {
      const lost = action === "removed_from_repository" && repository !== null;
      if (lost) return { kind: "repositories-lost", accountId, repositories: [repository.id], userId: null };
      return { kind: "changed", accountId, userId: null };
    }
    default:
      return null;
  }
}

function at(payload: unknown, name: string): unknown {
  return typeof payload === "object" && payload !== null ? (payload as Record<string, unknown>)[name] : undefined;
}

/** The numeric id of the object at a path. */
function idAt(payload: unknown, ...path: string[]): number | null {
  const id = at(path.reduce(at, payload), "id");
  return Number.isSafeInteger(id) ? (id as number) : null;
}

function idsAt(payload: unknown, name: string): number[] {
  const list = at(payload, name);
  if (!Array.isArray(list)) return [];
  return list.map((item) => idAt(item)).filter((id) => id !== null);
}
