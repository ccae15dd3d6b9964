/** Changes of the world, and what GitHub's webhooks say about each. */
import type { Account, Installation, OrganizationDescription, Repository, World } from "./world.ts";

export type Change =
  | { kind: "add-collaborator" | "remove-collaborator"; repository: string; user: string }
  | { kind: "add-member" | "remove-member"; organization: string; user: string }
  | { kind: "add-repository"; repository: string }
  /** The App's installation no longer covers these (names without the owner). */
  | { kind: "deselect"; account: string; repositories: string[] }
  /** A new organization, with the App on it. */
  | { kind: "new-organization"; organization: OrganizationDescription; repositories: string[] }
  | { kind: "suspend" | "unsuspend" | "uninstall"; account: string }
  | { kind: "revoke-authorization"; user: string };

/** A webhook of the App, before it is sent. */
export interface Hook {
  event: string;
  payload: Record<string, unknown>;
}

/** Makes a change, and returns the webhook that tells it. */
export function applyChange(world: World, change: Change): Hook {
  switch (change.kind) {
    case "add-collaborator":
    case "remove-collaborator": {
      const repository = world.repository(change.repository);
      const added = change.kind === "add-collaborator";
      if (added) repository.collaborators.add(change.user);
      else repository.collaborators.delete(change.user);
      const member = userPayload(world.account(change.user));
      return { event: "member", payload: { action: added ? "added" : "removed", member, ...about(world, repository) } };
    }
    case "add-member":
    case "remove-member": {
      const organization = world.organizations.get(change.organization);
      const added = change.kind === "add-member";
      if (added) organization?.members.add(change.user);
      else {
        organization?.members.delete(change.user);
        organization?.owners.delete(change.user);
      }
      const user = userPayload(world.account(change.user));
      const membership = { state: added ? "active" : "inactive", role: added ? "member" : "unaffiliated", user };
      const payload = { action: added ? "member_added" : "member_removed", membership };
      return {
        event: "organization",
        payload: { ...payload, ...aboutAccount(world, world.account(change.organization)) },
      };
    }
    case "add-repository": {
      const repository = world.addRepository(change.repository);
      return { event: "repository", payload: { action: "created", ...about(world, repository) } };
    }
    case "deselect": {
      const installation = world.installation(change.account);
      const covered = [...world.repositories.values()].filter(({ owner }) => owner.login === change.account);
      const selected = installation.selected ?? new Set(covered.map(({ name }) => name));
      installation.selected = new Set([...selected].filter((name) => !change.repositories.includes(name)));
      const removed = covered.filter(({ name }) => change.repositories.includes(name)).map(shortRepository);
      const payload = {
        action: "removed",
        repository_selection: "selected",
        repositories_added: [],
        repositories_removed: removed,
      };
      return { event: "installation_repositories", payload: { ...payload, ...aboutInstallation(installation) } };
    }
    case "new-organization": {
      world.addOrganization(change.organization);
      const { login } = change.organization;
      const repositories = change.repositories.map((name) => world.addRepository(`${login}/${name}`));
      const payload = { action: "created", repositories: repositories.map(shortRepository) };
      return { event: "installation", payload: { ...payload, ...aboutInstallation(world.install(login)) } };
    }
    case "suspend":
    case "unsuspend":
    case "uninstall": {
      const installation = world.installation(change.account);
      installation.updatedAt = new Date().toISOString();
      installation.suspendedAt = change.kind === "suspend" ? installation.updatedAt : null;
      if (change.kind === "uninstall") world.installations.delete(change.account);
      const action = change.kind === "uninstall" ? "deleted" : change.kind;
      return { event: "installation", payload: { action, ...aboutInstallation(installation) } };
    }
    case "revoke-authorization":
      return {
        event: "github_app_authorization",
        payload: { action: "revoked", sender: userPayload(world.account(change.user)) },
      };
  }
}

/** The parts that GitHub puts into every webhook about a repository. */
export function about(world: World, repository: Repository, sender?: string): Record<string, unknown> {
  const { owner } = repository;
  return { repository: repositoryPayload(repository), ...aboutAccount(world, owner, sender) };
}

function aboutAccount(world: World, account: Account, sender?: string): Record<string, unknown> {
  const installation = world.installations.get(account.login);
  return {
    ...(account.type === "Organization" && { organization: { id: account.id, login: account.login } }),
    ...(installation && { installation: { id: installation.id, node_id: `I_${installation.id}` } }),
    sender: userPayload(sender === undefined ? account : world.account(sender)),
  };
}

function aboutInstallation(installation: Installation): Record<string, unknown> {
  return { installation: installationPayload(installation), sender: userPayload(installation.account) };
}

export function userPayload({ id, login, type }: Account): Record<string, unknown> {
  return { id, login, node_id: `U_${id}`, type, site_admin: false };
}

export function installationPayload({ id, account, selected, suspendedAt, updatedAt }: Installation) {
  return {
    id,
    app_id: 1,
    app_slug: "stand-in",
    account: userPayload(account),
    target_id: account.id,
    target_type: account.type,
    repository_selection: selected ? "selected" : "all",
    suspended_at: suspendedAt,
    created_at: updatedAt,
    updated_at: updatedAt,
  };
}

function shortRepository({ id, name, owner, private: isPrivate }: Repository) {
  return { id, node_id: `R_${id}`, name, full_name: `${owner.login}/${name}`, private: isPrivate };
}

export function repositoryPayload(repository: Repository): Record<string, unknown> {
  const short = shortRepository(repository);
  return {
    ...short,
    owner: userPayload(repository.owner),
    html_url: `https://github.com/${short.full_name}`,
    visibility: repository.private ? "private" : "public",
    default_branch: "main",
  };
}
