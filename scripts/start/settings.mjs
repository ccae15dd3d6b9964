/**
 * The Worker's settings under `npm start`: which variables there are, and where their values come from.
 *
 * A variable in the environment wins over `.dev.vars`, and an empty one takes the value of `.dev.vars` away.
 */
import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";

/** Values that must not show in a file, a log or a list of processes. */
export const SECRETS = [
  "GITHUB_APP_PRIVATE_KEY",
  "GITHUB_CLIENT_SECRET",
  "GITHUB_WEBHOOK_SECRET",
  "GITHUB_WEBHOOK_SECRET_PREVIOUS",
];

/** Every variable that an operator may set; wrangler.toml explains each. LOCAL_* are the start script's own. */
export const SETTINGS = [
  "PUBLIC_URL",
  "GITHUB_URL",
  "GITHUB_API_URL",
  "GITHUB_APP_ID",
  "GITHUB_CLIENT_ID",
  "WEBHOOK_IP_ALLOWLIST",
  "WEBHOOK_RATE_PER_MINUTE",
  "TENANT_QUOTA_PER_HOUR",
  "PURGE_AFTER_DAYS",
  "UNPROCESSED_PURGE_AFTER_DAYS",
  "MAX_STORE_BYTES",
  "ACCESS_RECHECK_SECONDS",
  "OPERATOR_IDS",
  ...SECRETS,
];

/** The variables of a `.dev.vars` file; none when there is no file. */
export function readDevVars(path) {
  try {
    return parseEnv(readFileSync(path, "utf8"));
  } catch (error) {
    if (error.code === "ENOENT") return {};
    throw new Error(`${path} can't be read: ${error.message}`);
  }
}

/**
 * Merges the two sources. Unset and empty are the same to the Worker, so empty values are left out.
 *
 * @param {Record<string, string | undefined>} env
 * @param {Record<string, string | undefined>} devVars
 * @returns {Record<string, string>}
 */
export function mergeSettings(env, devVars) {
  /** @type {Record<string, string>} */
  const settings = {};
  for (const name of SETTINGS) {
    const value = env[name] ?? devVars[name];
    if (value) settings[name] = value;
  }
  return settings;
}

/** Reads PORT: 8787 when unset, 0 for any free one. */
export function readPort(value) {
  if (value === undefined || value === "") return 8787;
  const port = Number(value);
  if (!/^\d+$/.test(value) || port > 65_535) throw new Error(`PORT must be a number from 0 to 65535, not "${value}".`);
  return port;
}
