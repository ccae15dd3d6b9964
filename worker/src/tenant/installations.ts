/**
 * Which account an installation belongs to, and whether it is still there.
 *
 * GitHub does not keep deliveries in order and lets anyone with access to the App send an old one again. So a change
 * counts only if it is not older than what is known, and a deleted installation stays deleted: GitHub gives a new
 * installation of the same account a new id.
 */
import type { Account, InstallationRecord, RegistryChange } from "../ports.ts";

/** The record of an installation; null if it was never seen. */
export function findInstallation(sql: SqlStorage, installationId: number): InstallationRecord | null {
  const [row] = sql
    .exec<{ account_id: number; suspended_at: number | null; deleted_at: number | null }>(
      "SELECT account_id, suspended_at, deleted_at FROM installation WHERE id = ?",
      installationId,
    )
    .toArray();
  if (row === undefined) return null;
  return {
    installationId,
    accountId: row.account_id,
    suspended: row.suspended_at !== null,
    deleted: row.deleted_at !== null,
  };
}

/**
 * Makes an account known, under the name it has now, and an installation that was never announced.
 *
 * @returns the account that owns the installation: the recorded one, where it is known already
 */
export function admitAccount(sql: SqlStorage, account: Account, installationId: number | null): { accountId: number } {
  saveAccount(sql, account);
  if (installationId === null) return { accountId: account.id };
  sql.exec("INSERT OR IGNORE INTO installation (id, account_id) VALUES (?, ?)", installationId, account.id);
  return { accountId: findInstallation(sql, installationId)?.accountId ?? account.id };
}

/**
 * Takes over a change that a lifecycle delivery reports. Doing it again changes nothing.
 *
 * @returns whether the account has an installation now
 */
export function applyChange(sql: SqlStorage, change: RegistryChange, now: number): { installed: boolean } {
  const { account } = change;
  if (change.kind === "renamed") saveAccount(sql, account);
  else {
    // A late delivery may carry a name that the account no longer has: it does not rename a known one.
    sql.exec(
      "INSERT OR IGNORE INTO account (id, login, type) VALUES (?, ?, ?)",
      account.id,
      account.login,
      account.type,
    );
    sql.exec("INSERT OR IGNORE INTO installation (id, account_id) VALUES (?, ?)", change.installationId, account.id);
    updateInstallation(sql, change.kind, change.installationId, change.at, now);
  }
  const live = sql
    .exec("SELECT 1 FROM installation WHERE account_id = ? AND deleted_at IS NULL LIMIT 1", account.id)
    .toArray();
  return { installed: live.length > 0 };
}

function updateInstallation(
  sql: SqlStorage,
  kind: "installed" | "uninstalled" | "suspended" | "unsuspended",
  installationId: number,
  at: number | null,
  now: number,
): void {
  switch (kind) {
    case "installed":
      // The row is all there is to say; one that says "deleted" or "suspended" knows more than this delivery.
      return;
    case "uninstalled":
      // Whatever its time: nothing comes after it.
      sql.exec("UPDATE installation SET deleted_at = ? WHERE id = ? AND deleted_at IS NULL", now, installationId);
      return;
    case "suspended":
    case "unsuspended":
      sql.exec(
        `UPDATE installation SET suspended_at = ?1, changed_at = coalesce(?2, changed_at)
         WHERE id = ?3 AND (?2 IS NULL OR changed_at IS NULL OR changed_at <= ?2)`,
        kind === "suspended" ? now : null,
        at,
        installationId,
      );
      return;
  }
}

/** Every account that was ever seen, by id. */
export function listAccounts(sql: SqlStorage): Account[] {
  return sql
    .exec<{ id: number; login: string; type: Account["type"] }>("SELECT id, login, type FROM account ORDER BY id")
    .toArray();
}

function saveAccount(sql: SqlStorage, { id, login, type }: Account): void {
  sql.exec(
    `INSERT INTO account (id, login, type) VALUES (?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET login = excluded.login, type = excluded.type
     WHERE login <> excluded.login OR type <> excluded.type`,
    id,
    login,
    type,
  );
}
