/**
 * The configuration that `wrangler dev` runs on: wrangler.toml, made local.
 *
 * Routes go: with a custom domain `wrangler dev` would rewrite URL, Host and Origin of every request to that domain,
 * and the Worker could no longer tell a rebound host name from its own. Secrets are named only (`secrets.required`):
 * wrangler takes their values from its environment, so that they stand in no file and on no command line.
 */
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { parse } from "smol-toml";

const HOSTING_ONLY = ["route", "routes", "workers_dev", "preview_urls", "dev", "env", "account_id", "secrets"];

/**
 * @param {string} tomlPath wrangler.toml of the checkout
 * @param {Record<string, string>} vars settings that may be seen
 * @param {string[]} secrets names of the settings that may not
 */
export function devConfig(tomlPath, vars, secrets) {
  const { main, ...config } = parse(readFileSync(tomlPath, "utf8"));
  for (const key of HOSTING_ONLY) delete config[key];
  return {
    ...config,
    main: resolve(dirname(tomlPath), String(main)),
    vars: { ...Object(config.vars), ...vars },
    secrets: { required: secrets },
  };
}
