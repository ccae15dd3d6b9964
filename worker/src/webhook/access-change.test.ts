import { eventFacts } from "@github-webhook-mcp/shared/event-facts.ts";
import { expect, test } from "vitest";
import { accessChange } from "./access-change.ts";

const organization = { id: 50, login: "acme", type: "Organization" };
const repository = { id: 501, full_name: "acme/one", owner: organization };
const user = { id: 7, login: "mona" };
const installation = { id: 3, account: organization };

const change = (event: string, payload: object) => accessChange(event, eventFacts(payload), payload);

test.each<[string, object, unknown]>([
  ["github_app_authorization", { action: "revoked", sender: user }, { kind: "authorization-revoked", userId: 7 }],
  ["installation", { action: "deleted", installation }, { kind: "account-lost", accountId: 50, userId: null }],
  ["installation", { action: "suspend", installation }, { kind: "account-lost", accountId: 50, userId: null }],
  ["installation", { action: "unsuspend", installation, sender: user }, { kind: "changed", accountId: 50, userId: 7 }],
  [
    "installation_repositories",
    { action: "removed", installation, repositories_removed: [{ id: 501 }, { id: 502 }] },
    { kind: "repositories-lost", accountId: 50, repositories: [501, 502], userId: null },
  ],
  [
    "installation_repositories",
    { action: "added", installation, repositories_removed: [] },
    { kind: "repositories-lost", accountId: 50, repositories: [], userId: null },
  ],
  [
    "repository",
    { action: "privatized", repository },
    { kind: "repositories-lost", accountId: 50, repositories: [501], userId: null },
  ],
  [
    "repository",
    { action: "transferred", repository },
    { kind: "repositories-lost", accountId: 50, repositories: [501], userId: null },
  ],
  ["repository", { action: "created", repository }, { kind: "changed", accountId: 50, userId: null }],
  ["repository", { action: "edited", repository }, null],
  [
    "organization",
    { action: "member_removed", organization, membership: { user } },
    { kind: "account-lost", accountId: 50, userId: 7 },
  ],
  [
    "organization",
    { action: "member_added", organization, membership: { user } },
    { kind: "changed", accountId: 50, userId: 7 },
  ],
  [
    "member",
    { action: "removed", repository, member: user },
    { kind: "repositories-lost", accountId: 50, repositories: [501], userId: 7 },
  ],
  ["member", { action: "added", repository, member: user }, { kind: "changed", accountId: 50, userId: 7 }],
  ["membership", { action: "removed", organization, member: user }, { kind: "changed", accountId: 50, userId: 7 }],
  [
    "team",
    { action: "removed_from_repository", organization, repository },
    { kind: "repositories-lost", accountId: 50, repositories: [501], userId: null },
  ],
  ["team", { action: "edited", organization }, { kind: "changed", accountId: 50, userId: null }],
  ["push", { repository }, null],
  ["organization", { action: "member_removed", organization }, null],
  ["github_app_authorization", { action: "revoked" }, null],
])("%s %j", (event, payload, expected) => {
  expect(change(event, payload)).toEqual(expected);
});
