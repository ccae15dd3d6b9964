import { at, type EventTable, each, joined, type Reader, sitePage } from "./rules.ts";

/** Who and what there is: repositories, people, teams, organizations, Apps and their installations, money. */

/** The repository is the thing itself; `repo` names it already, so these rows give no title. */
const repositoryItself = {
  url: "repository.html_url",
  body: ["repository.description", "changes.repository.name.from"],
};

const teamItself = { title: "team.name", url: "team.html_url", body: ["team.description"] };

const organizationPage = sitePage`/${"organization.login"}`;

const isMembersEvent = (payload: unknown): boolean => {
  const action = at(payload, "action");
  return typeof action === "string" && action.startsWith("member_");
};

/** For `member_added`, `member_invited` …: about a person. An invitation by mail has no login. */
const memberField =
  (field: string): Reader =>
  (payload) =>
    isMembersEvent(payload) ? (at(payload, `membership.user.${field}`) ?? at(payload, `user.${field}`)) : undefined;

export const administration: EventTable = {
  repository: repositoryItself,
  public: repositoryItself,
  star: { url: "repository.html_url" },
  watch: { url: "repository.html_url" },
  fork: {
    title: "forkee.full_name",
    url: "forkee.html_url",
    body: ["forkee.description"],
  },
  repository_import: {
    url: "repository.html_url",
    conclusion: "status",
  },
  custom_property: {
    title: "definition.property_name",
    body: ["definition.description"],
  },
  custom_property_values: {
    title: each("new_property_values", "property_name", ", "),
    url: "repository.html_url",
  },
  meta: {
    title: "hook.name",
  },
  ping: {
    title: "zen",
  },

  member: {
    title: "member.login",
    url: "member.html_url",
  },
  membership: {
    title: joined("team.name", "member.login"),
    url: ["team.html_url", "member.html_url"],
  },
  team: teamItself,
  team_add: teamItself,
  organization: {
    title: [memberField("login"), "invitation.login", "organization.login"],
    url: [memberField("html_url"), organizationPage],
  },
  org_block: {
    title: "blocked_user.login",
    url: "blocked_user.html_url",
  },

  installation: {
    title: ["installation.account.login", "installation.account.slug"],
    url: "installation.html_url",
    body: [each("repositories", "full_name", "\n")],
  },
  installation_repositories: {
    title: [
      each("repositories_added", "full_name", ", "),
      each("repositories_removed", "full_name", ", "),
      "installation.account.login",
    ],
    url: "installation.html_url",
    body: [each("repositories_added", "full_name", "\n"), each("repositories_removed", "full_name", "\n")],
  },
  installation_target: {
    title: ["account.login", "account.slug"],
    url: "account.html_url",
    body: ["changes.login.from", "changes.slug.from"],
  },
  // Only says who: `sender`.
  github_app_authorization: {},
  personal_access_token_request: {
    title: ["personal_access_token_request.token_name", "personal_access_token_request.owner.login"],
    url: sitePage`/organizations/${"organization.login"}/settings/personal-access-token-requests`,
  },

  marketplace_purchase: {
    title: joined("marketplace_purchase.account.login", "marketplace_purchase.plan.name"),
    body: ["marketplace_purchase.plan.description"],
  },
  sponsorship: {
    title: "sponsorship.tier.name",
    url: ["sponsorship.sponsor.html_url", "sponsorship.sponsorable.html_url"],
    body: ["sponsorship.tier.description", "sponsorship.sponsor.login", "sponsorship.sponsorable.login"],
  },
};
