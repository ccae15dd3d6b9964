import { DurableObject } from "cloudflare:workers";
import { readConfig } from "../config.ts";
import type { Account, InstallationRecord, QuotaLease, RegistryChange, RegistryPort } from "../ports.ts";
import { migrate } from "../sql/migrate.ts";
import { admitAccount, applyChange, findInstallation, listAccounts } from "./installations.ts";
import { MIGRATIONS } from "./migrations.ts";
import { leaseQuota } from "./quota.ts";

/**
 * The one authority on who the tenants are: installation → account, and each account's hourly quota. One instance
 * serves the whole Worker; it is asked once for each installation and isolate, and once for each quota lease, so that
 * its thousand or so requests a second carry several hundred thousand webhooks.
 *
 * State: SQLite, schema in migrations.ts. Nothing is kept in memory between calls.
 */
export class TenantRegistry extends DurableObject<Env> implements RegistryPort {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    migrate(ctx.storage, MIGRATIONS);
  }

  async resolve(installationId: number): Promise<InstallationRecord | null> {
    return findInstallation(this.ctx.storage.sql, installationId);
  }

  async admit(account: Account, installationId: number | null): Promise<{ accountId: number }> {
    const { storage } = this.ctx;
    return storage.transactionSync(() => admitAccount(storage.sql, account, installationId));
  }

  async apply(change: RegistryChange): Promise<{ installed: boolean }> {
    const { storage } = this.ctx;
    return storage.transactionSync(() => applyChange(storage.sql, change, Date.now()));
  }

  async lease(accountId: number, wanted: number): Promise<QuotaLease> {
    const read = readConfig(this.env);
    if (!read.ok) throw new Error(`configuration: ${read.errors.join("; ")}`);
    const { storage } = this.ctx;
    return storage.transactionSync(() =>
      leaseQuota(storage.sql, accountId, wanted, read.config.tenantQuotaPerHour, Date.now()),
    );
  }

  async accounts(): Promise<Account[]> {
    return listAccounts(this.ctx.storage.sql);
  }
}
