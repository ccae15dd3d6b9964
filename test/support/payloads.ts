/** Small payloads of GitHub's shapes, for tests that care who they are from and not what all they say. */
import { reset } from "cloudflare:test";

export interface Owner {
  id: number;
  login: string;
  type: "User" | "Organization";
}

export interface Repository {
  id: number;
  name: string;
}

/** The two accounts of most tests. {@link wipe} gives them new ids. */
export const octoOrg: Owner = { id: 9001, login: "octo-org", type: "Organization" };
export const mona: Owner = { id: 9002, login: "mona", type: "User" };

/**
 * Wipes all Durable Objects. What the Worker's isolate has learnt about a tenant outlives that, as it never does
 * outside of tests: so the accounts go on under new ids.
 */
export async function wipe(): Promise<void> {
  await reset();
  octoOrg.id += 10;
  mona.id += 10;
}

/** The installation that {@link issue} names for an account. */
export function installationOf(owner: Owner): number {
  return owner.id + 50_000;
}

export interface IssueOptions {
  owner?: Owner;
  repository?: Repository;
  /** Null: a repository's own webhook, which names no installation. */
  installation?: number | null;
  number?: number;
  title?: string;
  body?: string;
  sender?: { login: string; type: string };
}

/** An `issues` payload (action `opened`). */
export function issue(options: IssueOptions = {}): Record<string, unknown> {
  const { owner = octoOrg, repository = { id: 501, name: "app" }, number = 1, title = `issue ${number}` } = options;
  const { installation = installationOf(owner), sender = { login: "stranger", type: "User" } } = options;
  const fullName = `${owner.login}/${repository.name}`;
  return {
    action: "opened",
    issue: {
      number,
      title,
      body: options.body ?? null,
      html_url: `https://github.com/${fullName}/issues/${number}`,
      author_association: "NONE",
    },
    repository: { id: repository.id, name: repository.name, full_name: fullName, owner: { ...owner } },
    ...(owner.type === "Organization" && { organization: { id: owner.id, login: owner.login } }),
    ...(installation !== null && { installation: { id: installation } }),
    sender: { id: 77, ...sender },
  };
}

/** An `installation` payload of the same installation. */
export function installation(action: string, owner: Owner, updatedAt: string): Record<string, unknown> {
  return {
    action,
    installation: { id: installationOf(owner), account: { ...owner }, target_type: owner.type, updated_at: updatedAt },
    sender: { id: 77, login: "mona", type: "User" },
  };
}
