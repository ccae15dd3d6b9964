import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { examplePayloads } from "../../test/corpus/examples.ts";
import { eventFacts } from "./event-facts.ts";

const NOTHING = { action: null, installationId: null, repository: null, account: null };

it("names action, installation, repository and its owner", () => {
  const payload = {
    action: "opened",
    installation: { id: 12 },
    repository: { id: 7, full_name: "octo/app", owner: { id: 9, login: "octo", type: "Organization" } },
    organization: { id: 9, login: "octo" },
  };
  expect(eventFacts(payload)).toEqual({
    action: "opened",
    installationId: 12,
    repository: { id: 7, fullName: "octo/app" },
    account: { id: 9, login: "octo", type: "Organization" },
  });
});

describe("the account", () => {
  const accountOf = (payload: unknown) => eventFacts(payload).account;
  const repository = (owner: unknown) => ({ id: 7, full_name: "o/app", owner });

  it("is the repository's owner before the organization", () => {
    const payload = {
      repository: repository({ id: 1, login: "mona", type: "User" }),
      organization: { id: 9, login: "o" },
    };
    expect(accountOf(payload)).toEqual({ id: 1, login: "mona", type: "User" });
  });

  it("is an organization where the owner is the payload's organization, type or no type", () => {
    const payload = { repository: repository({ id: 9, login: "o" }), organization: { id: 9, login: "o" } };
    expect(accountOf(payload)?.type).toBe("Organization");
    expect(accountOf({ repository: repository({ id: 9, login: "o" }) })?.type).toBe("User");
  });

  it("is the organization for what has no repository", () => {
    expect(accountOf({ projects_v2: { number: 1 }, organization: { id: 9, login: "o" } })).toEqual({
      id: 9,
      login: "o",
      type: "Organization",
    });
  });

  it("is who the App is installed for", () => {
    expect(accountOf({ installation: { id: 1, account: { id: 3, login: "mona", type: "User" } } })?.id).toBe(3);
    expect(
      accountOf({ installation: { id: 1, account: { id: 3, login: "o" }, target_type: "Organization" } })?.type,
    ).toBe("Organization");
  });

  it("is whose name changed", () => {
    const account = { id: 4, login: "new-name" };
    expect(accountOf({ action: "renamed", account, target_type: "Organization", installation: { id: 1 } })).toEqual({
      id: 4,
      login: "new-name",
      type: "Organization",
    });
    expect(accountOf({ action: "renamed", account: { ...account, type: "User" } })?.type).toBe("User");
  });

  it("is who is sponsored", () => {
    const sponsorship = { sponsorable: { id: 5, login: "octocat", type: "User" }, sponsor: { id: 2, login: "mona" } };
    expect(accountOf({ sponsorship })?.id).toBe(5);
  });

  it("is nobody for an enterprise, a bot, or a payload that names none", () => {
    expect(
      accountOf({ installation: { id: 1, account: { id: 3, slug: "big" }, target_type: "Enterprise" } }),
    ).toBeNull();
    expect(
      accountOf({ installation: { id: 1, account: { id: 3, login: "big" }, target_type: "Enterprise" } }),
    ).toBeNull();
    expect(accountOf({ repository: repository({ id: 1, login: "app[bot]", type: "Bot" }) })).toBeNull();
    expect(accountOf({ marketplace_purchase: { account: { id: 1, login: "x", type: "User" } } })).toBeNull();
  });
});

it.each([0, -1, 1.5, 2 ** 53, "12", Number.NaN, null, {}, true])("takes the id %j for none", (id) => {
  const owner = { id, login: "mona", type: "User" };
  expect(eventFacts({ installation: { id }, repository: { id, full_name: "mona/app", owner } })).toEqual(NOTHING);
});

it("finds an account in every example but those that go to the operator's store", () => {
  const without = examplePayloads.filter(({ payload }) => eventFacts(payload).account === null);
  expect(new Set(without.map(({ type }) => type))).toEqual(
    new Set(["github_app_authorization", "marketplace_purchase", "security_advisory"]),
  );
});

it("gives well-typed facts for any payload", () => {
  const account = fc.record({ id: fc.jsonValue(), login: fc.jsonValue(), type: fc.jsonValue() }, { requiredKeys: [] });
  const shaped = fc.record(
    {
      action: fc.jsonValue(),
      installation: fc.oneof(fc.jsonValue(), fc.record({ id: fc.jsonValue(), account })),
      repository: fc.oneof(
        fc.jsonValue(),
        fc.record({ id: fc.jsonValue(), full_name: fc.jsonValue(), owner: account }),
      ),
      organization: fc.oneof(fc.jsonValue(), account),
      account,
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), shaped), (payload) => {
      const facts = eventFacts(payload);
      expect(facts.action === null || typeof facts.action === "string").toBe(true);
      for (const id of [facts.installationId, facts.repository?.id, facts.account?.id]) {
        expect(id == null || (Number.isSafeInteger(id) && id > 0)).toBe(true);
      }
      if (facts.account) expect(facts.account.type).toMatch(/^(User|Organization)$/);
    }),
    { numRuns: 500 },
  );
  for (const payload of [undefined, null, 1, "x", []]) expect(eventFacts(payload)).toEqual(NOTHING);
});
