import type { AccountFacts, EventFacts } from "@github-webhook-mcp/shared/event-facts.ts";
import { expect, test } from "vitest";
import type { InstallationRecord } from "../ports.ts";
import { KnownTenants, tenantOf } from "./tenant-gate.ts";

const octo: AccountFacts = { id: 11, login: "octo-org", type: "Organization" };

const facts = (changes: Partial<EventFacts> = {}): EventFacts => ({
  action: "opened",
  installationId: 100,
  repository: null,
  account: octo,
  ...changes,
});

/** A registry of what was admitted to it, which counts what it is asked. */
function fakeRegistry(records: InstallationRecord[] = []) {
  const calls: string[] = [];
  return {
    calls,
    async resolve(id: number) {
      calls.push(`resolve ${id}`);
      return records.find((record) => record.installationId === id) ?? null;
    },
    async admit(account: AccountFacts, installationId: number | null) {
      calls.push(`admit ${account.login} ${installationId}`);
      return { accountId: account.id };
    },
  };
}

const record = (changes: Partial<InstallationRecord> = {}): InstallationRecord => ({
  installationId: 100,
  accountId: 77,
  suspended: false,
  deleted: false,
  ...changes,
});

test("a known installation's delivery goes to its account, whoever the payload names, and asks once an isolate", async () => {
  const registry = fakeRegistry([record()]);
  const known = new KnownTenants();
  expect(await tenantOf(facts(), true, registry, known)).toEqual({ accountId: 77 });
  expect(await tenantOf(facts({ account: null }), true, registry, known)).toEqual({ accountId: 77 });
  expect(registry.calls).toEqual(["resolve 100"]);
});

test("a signed delivery of an installation that was never seen registers it", async () => {
  const registry = fakeRegistry();
  const known = new KnownTenants();
  expect(await tenantOf(facts(), true, registry, known)).toEqual({ accountId: 11 });
  expect(await tenantOf(facts(), true, registry, known)).toEqual({ accountId: 11 });
  expect(registry.calls).toEqual(["resolve 100", "admit octo-org 100"]);
});

test("a suspended or deleted installation's late events still belong to its account", async () => {
  for (const state of [{ suspended: true }, { deleted: true }]) {
    expect(await tenantOf(facts(), true, fakeRegistry([record(state)]), new KnownTenants())).toEqual({ accountId: 77 });
  }
});

test("a repository or organization webhook goes to the owner, who is admitted once an isolate and name", async () => {
  const registry = fakeRegistry();
  const known = new KnownTenants();
  const plain = facts({ installationId: null });
  for (let i = 0; i < 3; i++) expect(await tenantOf(plain, true, registry, known)).toEqual({ accountId: 11 });
  expect(registry.calls).toEqual(["admit octo-org null"]);
  const renamed = facts({ installationId: null, account: { ...octo, login: "octo-two" } });
  expect(await tenantOf(renamed, true, registry, known)).toEqual({ accountId: 11 });
  expect(registry.calls).toEqual(["admit octo-org null", "admit octo-two null"]);
});

test("what no account can be derived from goes to the operator's store and is not registered", async () => {
  const registry = fakeRegistry();
  const none = facts({ installationId: null, account: null });
  expect(await tenantOf(none, true, registry, new KnownTenants())).toEqual({ accountId: 0 });
  expect(registry.calls).toEqual([]);
  const enterprise = facts({ account: null });
  expect(await tenantOf(enterprise, true, registry, new KnownTenants())).toEqual({ accountId: 0 });
  expect(registry.calls).toEqual(["resolve 100"]);
});

test("an unsigned delivery reaches a known installation, and nothing else; it teaches the registry nothing", async () => {
  const unknown = (installationId: number | null) => ({ rejection: { kind: "unknown-installation", installationId } });
  const live = fakeRegistry([record()]);
  const known = new KnownTenants();
  expect(await tenantOf(facts(), false, live, known)).toEqual({ accountId: 77 });
  expect(await tenantOf(facts(), false, live, known)).toEqual({ accountId: 77 });
  expect(live.calls).toEqual(["resolve 100", "resolve 100"]);
  const others = fakeRegistry([record({ installationId: 101, deleted: true })]);
  expect(await tenantOf(facts(), false, others, known)).toEqual(unknown(100));
  expect(await tenantOf(facts({ installationId: 101 }), false, others, known)).toEqual(unknown(101));
  expect(await tenantOf(facts({ installationId: null }), false, others, known)).toEqual(unknown(null));
  expect(others.calls.some((call) => call.startsWith("admit"))).toBe(false);
});
