import { eventFacts } from "@github-webhook-mcp/shared/event-facts.ts";
import { expect, test } from "vitest";
import { readDelivery } from "./delivery.ts";
import { fromApp, registryChange } from "./lifecycle.ts";

const account = { id: 11, login: "octo-org", type: "Organization" };
const change = (event: string, payload: object) => registryChange(event, eventFacts(payload), payload);
const installation = (action: string, updated_at?: unknown) => ({
  action,
  installation: { id: 100, account, updated_at },
});

function delivery(type: string | null, id: string | null) {
  const headers = new Headers();
  if (type !== null) headers.set("X-GitHub-Hook-Installation-Target-Type", type);
  if (id !== null) headers.set("X-GitHub-Hook-Installation-Target-ID", id);
  return readDelivery(headers);
}

test("only deliveries of the App count, and of this App where its id is configured", () => {
  expect(fromApp(delivery("integration", "42"), null)).toBe(true);
  expect(fromApp(delivery("integration", "42"), 42)).toBe(true);
  expect(fromApp(delivery("integration", "43"), 42)).toBe(false);
  expect(fromApp(delivery("integration", null), 42)).toBe(false);
  expect(fromApp(delivery("repository", "42"), null)).toBe(false);
  expect(fromApp(delivery("organization", "42"), 42)).toBe(false);
  expect(fromApp(delivery(null, null), null)).toBe(false);
});

test.each([
  ["created", "installed"],
  ["new_permissions_accepted", "installed"],
  ["deleted", "uninstalled"],
  ["suspend", "suspended"],
  ["unsuspend", "unsuspended"],
])("installation %s means: %s", (action, kind) => {
  expect(change("installation", installation(action))).toEqual({ kind, installationId: 100, account, at: null });
});

test("the time of a change is GitHub's, in either of its forms", () => {
  const at = (updated_at: unknown) => change("installation", installation("suspend", updated_at));
  expect(at("2020-04-10T00:50:27.000Z")).toMatchObject({ at: Date.UTC(2020, 3, 10, 0, 50, 27) });
  expect(at(1_557_933_591)).toMatchObject({ at: 1_557_933_591_000 });
  for (const odd of ["soon", {}, null, 1e300]) expect(at(odd), String(odd)).toMatchObject({ at: null });
});

test("a renamed account is renamed", () => {
  const renamed = { kind: "renamed", account };
  expect(change("installation_target", { action: "renamed", account, installation: { id: 100 } })).toEqual(renamed);
  expect(change("organization", { action: "renamed", organization: { id: 11, login: "octo-org" } })).toEqual(renamed);
});

test("everything else changes nothing", () => {
  const repository = { id: 1, full_name: "octo-org/a", owner: account };
  expect(change("issues", { action: "created", installation: { id: 100 }, repository })).toBeNull();
  expect(change("repository", { action: "renamed", repository })).toBeNull();
  expect(change("installation_repositories", { ...installation("added") })).toBeNull();
  expect(change("installation", installation("toString"))).toBeNull();
  expect(change("installation", installation("frobnicated"))).toBeNull();
  expect(change("installation", { action: "created", installation: { id: 100 } })).toBeNull();
  expect(change("installation", { action: "created", installation: { account } })).toBeNull();
  expect(change("installation", {})).toBeNull();
  expect(change("organization", { action: "member_removed", organization: account })).toBeNull();
});
