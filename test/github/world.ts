/**
 * What the stand-in GitHub knows about accounts, repositories and installations of the one App, made from a small
 * description, and the two questions that decide who sees what.
 */

export interface WorldDescription {
  users: string[];
  organizations?: OrganizationDescription[];
  /** `owner/name`. */
  repositories?: (string | { name: string; public?: boolean; collaborators?: string[] })[];
  /** Accounts that installed the App: on everything, or on the repositories named (without their owner). */
  installations?: (string | { account: string; repositories?: string[]; suspended?: boolean })[];
}

export interface OrganizationDescription {
  login: string;
  owners?: string[];
  members?: string[];
  /** Whether members read every repository, as is GitHub's default. */
  membersRead?: boolean;
}

export interface Account {
  id: number;
  login: string;
  type: "User" | "Organization";
}

export interface Repository {
  id: number;
  name: string;
  owner: Account;
  private: boolean;
  collaborators: Set<string>;
}

export interface Installation {
  id: number;
  account: Account;
  /** Names; null = all. */
  selected: Set<string> | null;
  suspendedAt: string | null;
  updatedAt: string;
}

interface Organization {
  owners: Set<string>;
  members: Set<string>;
  membersRead: boolean;
}

export class World {
  readonly accounts = new Map<string, Account>();
  readonly organizations = new Map<string, Organization>();
  /** By full name. */
  readonly repositories = new Map<string, Repository>();
  /** By account. */
  readonly installations = new Map<string, Installation>();
  readonly #repositoriesOf = new Map<string, Repository[]>();
  readonly #ids = { User: 1_000, Organization: 2_000, repository: 30_000, installation: 40_000 };

  constructor(description: WorldDescription) {
    for (const login of description.users) this.#addAccount(login, "User");
    for (const organization of description.organizations ?? []) this.addOrganization(organization);
    for (const repository of description.repositories ?? []) {
      const { name, ...rest } = typeof repository === "string" ? { name: repository } : repository;
      this.addRepository(name, rest);
    }
    for (const installation of description.installations ?? []) {
      const { account, ...rest } = typeof installation === "string" ? { account: installation } : installation;
      this.install(account, rest);
    }
  }

  account(login: string): Account {
    const account = this.accounts.get(login);
    if (!account) throw new Error(`there is no account ${login}`);
    return account;
  }

  repository(fullName: string): Repository {
    const repository = this.repositories.get(fullName);
    if (!repository) throw new Error(`there is no repository ${fullName}`);
    return repository;
  }

  installation(login: string): Installation {
    const installation = this.installations.get(login);
    if (!installation) throw new Error(`the App is not installed on ${login}`);
    return installation;
  }

  addOrganization({ login, owners = [], members = [], membersRead = true }: OrganizationDescription): Account {
    const account = this.#addAccount(login, "Organization");
    for (const user of [...owners, ...members]) this.account(user);
    this.organizations.set(login, { owners: new Set(owners), members: new Set(members), membersRead });
    return account;
  }

  addRepository(fullName: string, options: { public?: boolean; collaborators?: string[] } = {}): Repository {
    const [owner = "", name = ""] = fullName.split("/");
    if (this.repositories.has(fullName)) throw new Error(`there is a repository ${fullName} already`);
    const repository = {
      id: ++this.#ids.repository,
      name,
      owner: this.account(owner),
      private: !options.public,
      collaborators: new Set(options.collaborators),
    };
    this.repositories.set(fullName, repository);
    const siblings = this.#repositoriesOf.get(owner);
    if (siblings) siblings.push(repository);
    else this.#repositoriesOf.set(owner, [repository]);
    return repository;
  }

  install(login: string, options: { repositories?: string[]; suspended?: boolean } = {}): Installation {
    const now = new Date().toISOString();
    const installation = {
      id: ++this.#ids.installation,
      account: this.account(login),
      selected: options.repositories ? new Set(options.repositories) : null,
      suspendedAt: options.suspended ? now : null,
      updatedAt: now,
    };
    this.installations.set(login, installation);
    return installation;
  }

  /** Installations that cover anything of the user's: their own, their organizations', and where they collaborate. */
  installationsOf(login: string): Installation[] {
    return [...this.installations.values()].filter(({ account, selected }) => {
      if (account.login === login) return true;
      const organization = this.organizations.get(account.login);
      if (organization?.owners.has(login) || organization?.members.has(login)) return true;
      return this.#covered(account.login, selected).some(({ collaborators }) => collaborators.has(login));
    });
  }

  /** Repositories of an installation that the user has an explicit permission for. */
  repositoriesOf(login: string, { account, selected }: Installation): Repository[] {
    const organization = this.organizations.get(account.login);
    const all =
      account.login === login ||
      organization?.owners.has(login) ||
      (organization?.membersRead && organization.members.has(login));
    return this.#covered(account.login, selected).filter(({ collaborators }) => all || collaborators.has(login));
  }

  #covered(owner: string, selected: Set<string> | null): Repository[] {
    const all = this.#repositoriesOf.get(owner) ?? [];
    return selected ? all.filter(({ name }) => selected.has(name)) : all;
  }

  #addAccount(login: string, type: Account["type"]): Account {
    if (this.accounts.has(login)) throw new Error(`there is an account ${login} already`);
    const account = { id: ++this.#ids[type], login, type };
    this.accounts.set(login, account);
    return account;
  }
}
