import { emitterEventNames } from "@octokit/webhooks";
import { expect, it } from "vitest";
import type { PayloadSummary } from "../events.ts";
import { summarizePayload } from "../summarize.ts";
import { administration } from "./administration.ts";
import { automation } from "./automation.ts";
import { code } from "./code.ts";
import { conversations } from "./conversations.ts";
import { planning } from "./planning.ts";
import { security } from "./security.ts";
import { knownTypes } from "./table.ts";

it("has one row, in one area, for each event type that GitHub documents", () => {
  const types = new Set(emitterEventNames.map((name) => name.split(".")[0]!));
  expect(types.size).toBe(75);
  expect([...types].filter((type) => !knownTypes.has(type))).toEqual([]);
  const rows = [administration, automation, code, conversations, planning, security].flatMap(Object.keys);
  expect(rows).toHaveLength(knownTypes.size);
});

const NOTHING: PayloadSummary = {
  action: null,
  repo: null,
  sender: null,
  number: null,
  title: null,
  url: null,
  head_branch: null,
  head_sha: null,
  conclusion: null,
};

const repository = { id: 1, full_name: "octo/app", html_url: "https://github.com/octo/app" };
const organization = { id: 9, login: "octo" };
const sender = { login: "mona", type: "User", html_url: "https://github.com/mona" };

/** Types and situations that the examples have none of. */
const cases: [string, string, unknown, Partial<PayloadSummary>][] = [
  [
    "sub_issues",
    "a sub-issue added: the parent, in this repository",
    {
      action: "sub_issue_added",
      parent_issue: {
        number: 5,
        title: "Parent",
        html_url: "https://github.com/octo/app/issues/5",
        author_association: "MEMBER",
      },
      sub_issue: { number: 77, title: "Child", html_url: "https://github.com/octo/lib/issues/77" },
      repository,
    },
    { number: 5, title: "Parent", url: "https://github.com/octo/app/issues/5", author_association: "MEMBER" },
  ],
  [
    "sub_issues",
    "a parent added: the sub-issue, in this repository",
    {
      action: "parent_issue_added",
      parent_issue: { number: 5, title: "Parent", html_url: "https://github.com/octo/plan/issues/5" },
      sub_issue: { number: 77, title: "Child", html_url: "https://github.com/octo/app/issues/77" },
      repository,
    },
    { number: 77, title: "Child", url: "https://github.com/octo/app/issues/77" },
  ],
  [
    "issue_dependencies",
    "blocked by another repository's issue: the blocked one",
    {
      action: "blocked_by_added",
      blocked_issue: { number: 3, title: "Blocked", html_url: "https://github.com/octo/app/issues/3" },
      blocking_issue: { number: 8, title: "Blocker", html_url: "https://github.com/octo/lib/issues/8" },
      repository,
    },
    { number: 3, title: "Blocked", url: "https://github.com/octo/app/issues/3" },
  ],
  [
    "issue_dependencies",
    "blocking another repository's issue: the blocking one",
    {
      action: "blocking_removed",
      blocked_issue: { number: 3, title: "Blocked", html_url: "https://github.com/octo/lib/issues/3" },
      blocking_issue: { number: 8, title: "Blocker", html_url: "https://github.com/octo/app/issues/8" },
      repository,
    },
    { number: 8, title: "Blocker", url: "https://github.com/octo/app/issues/8" },
  ],
  [
    "create",
    "a branch whose name needs encoding",
    { ref: "fix/a b#1", ref_type: "branch", repository },
    { title: "fix/a b#1", head_branch: "fix/a b#1", url: "https://github.com/octo/app/tree/fix/a%20b%231" },
  ],
  [
    "create",
    "a name with a lone surrogate",
    { ref: "a\ud800", ref_type: "branch", repository },
    { title: "a\ud800", head_branch: "a\ud800", url: "https://github.com/octo/app/tree/a%EF%BF%BD" },
  ],
  [
    "delete",
    "a branch: its name, and no page",
    { ref: "fix/a", ref_type: "branch", repository },
    { title: "fix/a", head_branch: "fix/a" },
  ],
  [
    "push",
    "a branch with slashes, a message of several lines, a compare page",
    {
      ref: "refs/heads/feat/x",
      after: "a".repeat(40),
      compare: "https://github.com/octo/app/compare/b...a",
      head_commit: { message: "\n  Fix it\r\n\r\nBecause." },
      repository,
    },
    {
      title: "  Fix it",
      head_branch: "feat/x",
      head_sha: "a".repeat(40),
      url: "https://github.com/octo/app/compare/b...a",
    },
  ],
  [
    "check_run",
    "a fork's run, whose pull request is into the parent repository: its number is not this repository's",
    {
      check_run: {
        name: "test",
        html_url: "https://github.com/octo/app/runs/1",
        pull_requests: [
          { number: 42, base: { repo: { id: 2 } } },
          { number: 7, base: { repo: { id: 1 } } },
        ],
      },
      repository,
    },
    { number: 7, title: "test", url: "https://github.com/octo/app/runs/1" },
  ],
  [
    "workflow_run",
    "its number is the pull request's, not the run's",
    {
      workflow_run: {
        name: "CI",
        run_number: 15,
        html_url: "https://github.com/octo/app/actions/runs/2",
        head_branch: "x",
        head_sha: "b".repeat(40),
        conclusion: "failure",
        pull_requests: [{ number: 42, base: { repo: { id: 1 } } }],
      },
      sender: { ...sender, login: "ci[bot]", type: "Bot" },
      repository,
    },
    {
      number: 42,
      title: "CI",
      url: "https://github.com/octo/app/actions/runs/2",
      head_branch: "x",
      head_sha: "b".repeat(40),
      conclusion: "failure",
      sender: "ci[bot]",
      sender_type: "Bot",
    },
  ],
  [
    "status",
    "the branch whose head the commit is, and the tool's page",
    {
      sha: "c".repeat(40),
      context: "ci/build",
      state: "error",
      target_url: "https://ci.example.com/7",
      branches: [
        { name: "main", commit: { sha: "d".repeat(40) } },
        { name: "topic", commit: { sha: "c".repeat(40) } },
      ],
      repository,
    },
    {
      title: "ci/build",
      head_branch: "topic",
      head_sha: "c".repeat(40),
      conclusion: "error",
      url: "https://ci.example.com/7",
    },
  ],
  [
    "deployment",
    "an environment whose name has a slash, of a bare commit",
    { deployment: { environment: "qa/eu", ref: "e".repeat(40), sha: "e".repeat(40) }, repository },
    { title: "qa/eu", head_sha: "e".repeat(40), url: "https://github.com/octo/app/deployments/qa%2Feu" },
  ],
  [
    "deployment_status",
    "an address that is none is passed over",
    {
      deployment_status: { environment: "prod", state: "failure", log_url: "javascript:alert(1)", target_url: "" },
      deployment: { environment: "prod", ref: "refs/tags/v1", sha: "e".repeat(40) },
      repository,
    },
    {
      title: "prod",
      conclusion: "failure",
      head_sha: "e".repeat(40),
      url: "https://github.com/octo/app/deployments/prod",
    },
  ],
  [
    "deployment_protection_rule",
    "the page of the run that waits",
    {
      action: "requested",
      environment: "prod",
      deployment_callback_url: "https://api.github.com/repos/octo/app/actions/runs/99/deployment_protection_rule",
      deployment: { ref: "main", sha: "f".repeat(40) },
      pull_requests: [{ number: 6, base: { repo: { id: 1 } } }],
      repository,
    },
    {
      action: "requested",
      number: 6,
      title: "prod",
      head_branch: "main",
      head_sha: "f".repeat(40),
      url: "https://github.com/octo/app/actions/runs/99",
    },
  ],
  [
    "page_build",
    "a failed build says why",
    { build: { status: "errored", commit: "a".repeat(40), error: { message: "No such layout" } }, repository },
    {
      title: "No such layout",
      conclusion: "errored",
      head_sha: "a".repeat(40),
      url: `https://github.com/octo/app/commit/${"a".repeat(40)}`,
    },
  ],
  [
    "label",
    "a name with a slash",
    { label: { name: "area/api" }, repository },
    { title: "area/api", url: "https://github.com/octo/app/labels/area%2Fapi" },
  ],
  [
    "registry_package",
    "the version's page",
    {
      registry_package: {
        name: "app",
        html_url: "https://github.com/octo/app/packages/1",
        package_version: { html_url: "https://github.com/octo/app/packages/1?version=2" },
      },
      repository,
    },
    { title: "app", url: "https://github.com/octo/app/packages/1?version=2" },
  ],
  [
    "projects_v2",
    "a project on an Enterprise Server",
    {
      projects_v2: { number: 3, title: "Roadmap" },
      organization,
      sender: { ...sender, html_url: "https://git.example.com/mona" },
    },
    { number: 3, title: "Roadmap", url: "https://git.example.com/orgs/octo/projects/3" },
  ],
  [
    "projects_v2_item",
    "a changed field names the project",
    { changes: { field_value: { field_name: "Status", project_number: 3 } }, organization, sender },
    { url: "https://github.com/orgs/octo/projects/3" },
  ],
  [
    "projects_v2_status_update",
    "its status",
    { projects_v2_status_update: { status: "AT_RISK", body: "Late" }, organization },
    { title: "AT_RISK" },
  ],
  [
    "secret_scanning_alert",
    "the kind of secret",
    {
      alert: {
        number: 4,
        secret_type: "pat",
        secret_type_display_name: "GitHub PAT",
        html_url: "https://github.com/octo/app/security/secret-scanning/4",
      },
      repository,
    },
    { number: 4, title: "GitHub PAT", url: "https://github.com/octo/app/security/secret-scanning/4" },
  ],
  [
    "secret_scanning_alert_location",
    "the alert, and the commit that holds the secret",
    {
      alert: { number: 4, secret_type: "pat", html_url: "https://github.com/octo/app/security/secret-scanning/4" },
      location: { type: "commit", details: { commit_sha: "a".repeat(40) } },
      repository,
    },
    {
      number: 4,
      title: "pat",
      head_sha: "a".repeat(40),
      url: "https://github.com/octo/app/security/secret-scanning/4",
    },
  ],
  [
    "secret_scanning_scan",
    "what kind of scan",
    { action: "completed", type: "backfill", repository },
    { action: "completed", title: "backfill" },
  ],
  [
    "repository_advisory",
    "its summary and page",
    {
      repository_advisory: {
        summary: "XSS",
        ghsa_id: "GHSA-aaaa-bbbb-cccc",
        html_url: "https://github.com/octo/app/security/advisories/GHSA-aaaa-bbbb-cccc",
      },
      repository,
    },
    { title: "XSS", url: "https://github.com/octo/app/security/advisories/GHSA-aaaa-bbbb-cccc" },
  ],
  [
    "repository_ruleset",
    "its name and page",
    {
      repository_ruleset: { name: "main", _links: { html: { href: "https://github.com/octo/app/rules/1" } } },
      repository,
    },
    { title: "main", url: "https://github.com/octo/app/rules/1" },
  ],
  [
    "security_and_analysis",
    "the settings page",
    { changes: {}, repository },
    { url: "https://github.com/octo/app/settings/security_analysis" },
  ],
  [
    "branch_protection_configuration",
    "the settings page",
    { action: "disabled", repository },
    { action: "disabled", url: "https://github.com/octo/app/settings/branches" },
  ],
  [
    "custom_property",
    "the property",
    { action: "created", definition: { property_name: "tier" }, organization },
    { action: "created", title: "tier" },
  ],
  [
    "custom_property_values",
    "the properties",
    { new_property_values: [{ property_name: "tier" }, { property_name: "owner" }], repository },
    { title: "tier, owner", url: "https://github.com/octo/app" },
  ],
  [
    "installation_target",
    "the account under its new name",
    { action: "renamed", account: { login: "new", html_url: "https://github.com/new" }, target_type: "Organization" },
    { action: "renamed", title: "new", url: "https://github.com/new" },
  ],
  [
    "personal_access_token_request",
    "the token, and where it is decided",
    { personal_access_token_request: { token_name: "deploy", owner: { login: "mona" } }, organization, sender },
    { title: "deploy", url: "https://github.com/organizations/octo/settings/personal-access-token-requests" },
  ],
  [
    "organization",
    "an invitation by mail names nobody",
    { action: "member_invited", invitation: { login: null, email: "a@example.com" }, organization, sender },
    { action: "member_invited", title: "octo", url: "https://github.com/octo" },
  ],
  [
    "exemption_request_push_ruleset",
    "an unknown type, about the one member that has a page",
    {
      action: "created",
      exemption_request: { number: 1, html_url: "https://github.com/octo/app/exemptions/1" },
      repository,
    },
    { action: "created", number: 1, url: "https://github.com/octo/app/exemptions/1" },
  ],
  [
    "brand_new_thing",
    "an unknown type, about the member that bears its name",
    {
      other: { html_url: "https://github.com/other" },
      brand_new_thing: { title: "T", html_url: "https://github.com/octo/app/things/1", conclusion: "success" },
      repository,
    },
    { title: "T", url: "https://github.com/octo/app/things/1", conclusion: "success" },
  ],
];

it.each(cases)("%s: %s", (type, _situation, payload, expected) => {
  const common = {
    ...((payload as { repository?: unknown }).repository ? { repo: "octo/app" } : {}),
    ...((payload as { sender?: unknown }).sender ? { sender: "mona" } : {}),
    ...((payload as { action?: string }).action ? { action: (payload as { action: string }).action } : {}),
  };
  expect(summarizePayload(type, payload)).toEqual({ ...NOTHING, ...common, ...expected });
});
