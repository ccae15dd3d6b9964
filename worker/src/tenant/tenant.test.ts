import { reset, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { Account, RegistryChange } from "../ports.ts";
import { admitAccount, applyChange, findInstallation } from "./installations.ts";
import { leaseQuota, QUOTA_WINDOW_MS } from "./quota.ts";
import { registryPort } from "./registry-port.ts";
import { TenantRegistry } from "./tenant.ts";

const octo: Account = { id: 11, login: "octo-org", type: "Organization" };
const mona: Account = { id: 12, login: "mona", type: "User" };
const registry = registryPort(env.TENANT_REGISTRY);

afterEach(async () => {
  vi.useRealTimers();
  await reset();
});

function change(
  kind: "installed" | "uninstalled" | "suspended" | "unsuspended",
  at: number | null = null,
  installationId = 100,
): RegistryChange {
  return { kind, installationId, account: octo, at };
}

describe("installations", () => {
  test("an installation that was never seen is null; an admitted one has its account", async () => {
    expect(await registry.resolve(100)).toBeNull();
    expect(await registry.admit(octo, 100)).toEqual({ accountId: 11 });
    expect(await registry.resolve(100)).toEqual({
      installationId: 100,
      accountId: 11,
      suspended: false,
      deleted: false,
    });
  });

  test("a known installation keeps its account, whoever a later payload names", async () => {
    await registry.admit(octo, 100);
    expect(await registry.admit(mona, 100)).toEqual({ accountId: 11 });
    expect((await registry.resolve(100))?.accountId).toBe(11);
  });

  test("admitting twice at once makes one account", async () => {
    await Promise.all([registry.admit(mona, null), registry.admit(mona, null), registry.admit(mona, 7)]);
    expect(await registry.accounts()).toEqual([mona]);
  });

  test("an account is known under its newest name, and keeps its id", async () => {
    await registry.admit(octo, 100);
    await registry.apply({ kind: "renamed", account: { ...octo, login: "octo-two" } });
    expect(await registry.accounts()).toEqual([{ ...octo, login: "octo-two" }]);
    expect((await registry.resolve(100))?.accountId).toBe(11);
  });

  test("two accounts that had one name after the other are two accounts", async () => {
    await registry.admit(octo, null);
    await registry.admit({ ...octo, id: 13 }, null);
    expect((await registry.accounts()).map((account) => account.id)).toEqual([11, 13]);
  });

  test("suspension comes and goes, and a late delivery does not bring it back", async () => {
    await registry.apply(change("installed", 1_000));
    await registry.apply(change("suspended", 2_000));
    expect((await registry.resolve(100))?.suspended).toBe(true);
    await registry.apply(change("unsuspended", 3_000));
    await registry.apply(change("suspended", 2_000));
    expect((await registry.resolve(100))?.suspended).toBe(false);
    await registry.apply(change("suspended", 4_000));
    await registry.apply(change("unsuspended"));
    expect((await registry.resolve(100))?.suspended).toBe(false);
  });

  test("a deleted installation stays deleted: a redelivered creation or a late event does not revive it", async () => {
    expect(await registry.apply(change("installed", 1_000))).toEqual({ installed: true });
    expect(await registry.apply(change("uninstalled", 2_000))).toEqual({ installed: false });
    expect(await registry.apply(change("installed", 1_000))).toEqual({ installed: false });
    expect(await registry.admit(octo, 100)).toEqual({ accountId: 11 });
    expect((await registry.resolve(100))?.deleted).toBe(true);
  });

  test("a deletion that overtakes the creation is remembered", async () => {
    expect(await registry.apply(change("uninstalled"))).toEqual({ installed: false });
    expect(await registry.apply(change("installed"))).toEqual({ installed: false });
    expect(await registry.resolve(100)).toMatchObject({ accountId: 11, deleted: true });
  });

  test("an account that installed anew is installed, though its old installation's deletion comes last", async () => {
    await registry.apply(change("installed", 1_000, 100));
    await registry.apply(change("installed", 3_000, 101));
    expect(await registry.apply(change("uninstalled", 2_000, 100))).toEqual({ installed: true });
  });

  test("what is known outlives the instance", async () => {
    await registry.admit(octo, 100);
    await runInDurableObject(env.TENANT_REGISTRY.getByName("registry"), (_, state) => {
      const again = new TenantRegistry(state, env);
      expect(again).toBeInstanceOf(TenantRegistry);
    });
    expect((await registry.resolve(100))?.accountId).toBe(11);
  });

  test("every call reads a handful of rows with 100,000 accounts", () =>
    runInDurableObject(env.TENANT_REGISTRY.getByName("registry"), async (_, { storage }) => {
      storage.sql.exec(`
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
        INSERT INTO account SELECT i, 'login-' || i, 'User' FROM n;
        INSERT INTO installation (id, account_id) SELECT id + 1000000, id FROM account;
      `);
      const cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = [];
      const metered = {
        exec(query: string, ...bindings: unknown[]) {
          const cursor = storage.sql.exec(query, ...bindings);
          cursors.push(cursor);
          return cursor;
        },
      } as SqlStorage;
      expect(findInstallation(metered, 1_050_000)?.accountId).toBe(50_000);
      expect(admitAccount(metered, { id: 50_001, login: "login-50001", type: "User" }, 1_050_001).accountId).toBe(
        50_001,
      );
      const account: Account = { id: 50_002, login: "login-50002", type: "User" };
      const gone: RegistryChange = { kind: "uninstalled", installationId: 1_050_002, account, at: null };
      expect(applyChange(metered, gone, 1)).toEqual({ installed: false });
      expect(cursors.reduce((sum, cursor) => sum + cursor.rowsRead, 0)).toBeLessThan(20);
    }));
});

describe("quota", () => {
  const start = Date.UTC(2026, 10, 5, 14);

  /** Runs `check` on the registry's own database. */
  const inRegistry = (check: (storage: DurableObjectStorage, state: DurableObjectState) => void | Promise<void>) =>
    runInDurableObject(env.TENANT_REGISTRY.getByName("registry"), (_, state) => check(state.storage, state));

  test("leases add up to the limit and not beyond, and come back with the next hour", () =>
    inRegistry(({ sql }) => {
      const lease = (now: number, wanted = 250) => leaseQuota(sql, 11, wanted, 600, now);
      const windowEnd = start + QUOTA_WINDOW_MS;
      expect(lease(start)).toEqual({ granted: 250, windowEnd });
      expect(lease(start + 1)).toEqual({ granted: 250, windowEnd });
      expect(lease(start + 2)).toEqual({ granted: 100, windowEnd });
      expect(lease(windowEnd - 1)).toEqual({ granted: 0, windowEnd });
      expect(lease(windowEnd)).toEqual({ granted: 250, windowEnd: windowEnd + QUOTA_WINDOW_MS });
    }));

  test("accounts don't share a quota, and 0 means no limit", () =>
    inRegistry(({ sql }) => {
      expect(leaseQuota(sql, 11, 10, 10, start).granted).toBe(10);
      expect(leaseQuota(sql, 12, 10, 10, start).granted).toBe(10);
      expect(leaseQuota(sql, 11, 1_000_000, 0, start)).toEqual({
        granted: 1_000_000,
        windowEnd: start + QUOTA_WINDOW_MS,
      });
    }));

  test("windows that are over are swept", () =>
    inRegistry(({ sql }) => {
      for (let account = 1; account <= 50; account++) leaseQuota(sql, account, 1, 10, start);
      leaseQuota(sql, 7, 1, 10, start + QUOTA_WINDOW_MS);
      expect(sql.exec("SELECT count(*) AS n FROM quota").one()).toEqual({ n: 1 });
    }));

  test("the registry grants what its configuration says, never more however many ask at once", () =>
    inRegistry(async (_, state) => {
      vi.useFakeTimers({ now: start + 60_000, toFake: ["Date"] });
      const configured = { ...env, PUBLIC_URL: "https://hooks.example", TENANT_QUOTA_PER_HOUR: "1000" };
      const object = new TenantRegistry(state, configured);
      const leases = await Promise.all(Array.from({ length: 9 }, () => object.lease(11, 250)));
      expect(leases.reduce((sum, lease) => sum + lease.granted, 0)).toBe(1000);
      expect(new Set(leases.map((lease) => lease.windowEnd))).toEqual(new Set([start + QUOTA_WINDOW_MS]));
      vi.setSystemTime(start + QUOTA_WINDOW_MS);
      expect((await object.lease(11, 250)).granted).toBe(250);
    }));

  test("a configuration that can't be understood grants nothing silently", () =>
    inRegistry(async (_, state) => {
      const object = new TenantRegistry(state, {
        ...env,
        PUBLIC_URL: "https://x.example",
        TENANT_QUOTA_PER_HOUR: "lots",
      } as Env);
      await expect(object.lease(11, 250)).rejects.toThrow("TENANT_QUOTA_PER_HOUR");
    }));
});
