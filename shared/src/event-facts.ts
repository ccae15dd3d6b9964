/**
 * The few facts of a payload that decide where a delivery goes: which installation sent it, which repository it is
 * about, whose account that is. Pure and total: a member that is missing or oddly typed counts as absent.
 */

import { at, isPositiveInteger, isText } from "./summarize/rules.ts";

/** A GitHub account that owns things. */
export interface AccountFacts {
  id: number;
  login: string;
  type: "User" | "Organization";
}

export interface EventFacts {
  action: string | null;
  installationId: number | null;
  /** Both parts, or nothing: an event without one is stored as repository-less, which fewer people see. */
  repository: { id: number; fullName: string } | null;
  /** Whose store the event belongs to; null for what no account can be derived from. */
  account: AccountFacts | null;
}

/** The facts of one payload, whatever its event type. */
export function eventFacts(payload: unknown): EventFacts {
  const action = at(payload, "action");
  const installationId = at(payload, "installation.id");
  return {
    action: isText(action) ? action : null,
    installationId: isPositiveInteger(installationId) ? installationId : null,
    repository: repositoryOf(payload),
    account: accountOf(payload),
  };
}

function repositoryOf(payload: unknown): EventFacts["repository"] {
  const id = at(payload, "repository.id");
  const fullName = at(payload, "repository.full_name");
  return isPositiveInteger(id) && isText(fullName) ? { id, fullName } : null;
}

/**
 * The owner of the repository; else the organization; else who the App is installed for (`installation*` events);
 * else whose name changed (`installation_target`); else who is sponsored. An enterprise is none of these: it has a
 * slug, and no login.
 */
function accountOf(payload: unknown): AccountFacts | null {
  return (
    accountAt(payload, "repository.owner") ??
    accountAt(payload, "organization", "Organization") ??
    accountAt(payload, "installation.account", at(payload, "installation.target_type")) ??
    accountAt(payload, "account", at(payload, "target_type")) ??
    accountAt(payload, "sponsorship.sponsorable")
  );
}

/** @param knownType what the payload says elsewhere about the account's type; the account's own `type` goes first */
function accountAt(payload: unknown, path: string, knownType?: unknown): AccountFacts | null {
  const account = at(payload, path);
  const id = at(account, "id");
  const login = at(account, "login");
  if (!isPositiveInteger(id) || !isText(login)) return null;
  const type = at(account, "type") ?? knownType ?? null;
  if (type === "User" || type === "Organization") return { id, login, type };
  // No type given: an owner that is also the payload's organization is one. Any other type owns no store.
  if (type !== null) return null;
  return { id, login, type: at(payload, "organization.id") === id ? "Organization" : "User" };
}
