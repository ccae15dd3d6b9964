import { expect, test } from "vitest";
import { type Config, localMode, readConfig } from "./config.ts";

const PUBLIC_URL = "https://hooks.example";

function configOf(env: Record<string, unknown>): Config {
  const result = readConfig({ PUBLIC_URL, ...env });
  if (!result.ok) throw new Error(result.errors.join("; "));
  return result.config;
}

function errorsOf(env: Record<string, unknown>): string[] {
  const result = readConfig({ PUBLIC_URL, ...env });
  return result.ok ? [] : result.errors;
}

test("an environment with only PUBLIC_URL has the documented defaults", () => {
  expect(configOf({})).toEqual({
    publicUrl: "https://hooks.example",
    githubUrl: "https://github.com",
    githubApiUrl: "https://api.github.com",
    githubHost: "github.com",
    githubAppId: null,
    githubAppPrivateKey: null,
    githubClientId: null,
    githubClientSecret: null,
    webhookSecrets: [],
    ipAllowlist: { mode: "github" },
    webhookRatePerMinute: 5_000,
    tenantQuotaPerHour: 10_000,
    purgeAfterDays: 3,
    unprocessedPurgeAfterDays: 90,
    maxStoreBytes: 5_000_000_000,
    accessRecheckSeconds: 300,
    operatorIds: new Set(),
    localModeAsked: false,
    localToken: null,
  });
});

test("every variable is read", () => {
  const pem = "-----BEGIN RSA PRIVATE KEY-----\\nMIIB\\n-----END RSA PRIVATE KEY-----";
  const config = configOf({
    GITHUB_URL: "https://ghes.example/",
    GITHUB_API_URL: "https://ghes.example/api/v3/",
    GITHUB_APP_ID: "42",
    GITHUB_APP_PRIVATE_KEY: pem,
    GITHUB_CLIENT_ID: "Iv1.x",
    GITHUB_CLIENT_SECRET: "s",
    GITHUB_WEBHOOK_SECRET: "new ",
    GITHUB_WEBHOOK_SECRET_PREVIOUS: "old",
    WEBHOOK_IP_ALLOWLIST: "10.0.0.0/8, 2001:db8::/32,192.0.2.7",
    WEBHOOK_RATE_PER_MINUTE: "0",
    TENANT_QUOTA_PER_HOUR: 7,
    PURGE_AFTER_DAYS: "0",
    UNPROCESSED_PURGE_AFTER_DAYS: "0.5",
    MAX_STORE_BYTES: "1000",
    ACCESS_RECHECK_SECONDS: "60",
    OPERATOR_IDS: "1, 583231",
  });
  expect(config).toMatchObject({
    githubUrl: "https://ghes.example",
    githubApiUrl: "https://ghes.example/api/v3",
    githubHost: "ghes.example",
    githubAppId: 42,
    githubAppPrivateKey: "-----BEGIN RSA PRIVATE KEY-----\nMIIB\n-----END RSA PRIVATE KEY-----",
    githubClientId: "Iv1.x",
    githubClientSecret: "s",
    webhookSecrets: ["new ", "old"],
    webhookRatePerMinute: 0,
    tenantQuotaPerHour: 7,
    purgeAfterDays: 0,
    unprocessedPurgeAfterDays: 0.5,
    maxStoreBytes: 1000,
    accessRecheckSeconds: 60,
    operatorIds: new Set([1, 583231]),
  });
  expect(config.ipAllowlist.mode === "ranges" && config.ipAllowlist.ranges.length).toBe(3);
});

test.each([
  ["PUBLIC_URL", [undefined, "", "hooks.example", "https://hooks.example/path", "http://hooks.example", "ftp://a"]],
  ["GITHUB_URL", ["github.com", "ftp://github.com", "https://github.com?x=1", "https://me:pw@github.com"]],
  ["GITHUB_API_URL", ["api"]],
  ["GITHUB_APP_ID", ["my-app", "0", "-1", "1.5"]],
  ["GITHUB_APP_PRIVATE_KEY", ["MIIB", "-----BEGIN PUBLIC KEY-----\nx\n-----END PUBLIC KEY-----"]],
  ["GITHUB_WEBHOOK_SECRET_PREVIOUS", ["old"]],
  ["WEBHOOK_IP_ALLOWLIST", ["on", "GitHub!", "10.0.0.0/33", "10.0.0.0/8,", "10.0.0/8", "github,10.0.0.0/8"]],
  ["WEBHOOK_RATE_PER_MINUTE", ["many", "-1", "1.5", "1e3", "99999999999999999999"]],
  ["TENANT_QUOTA_PER_HOUR", ["unlimited", "-1", true, {}]],
  ["MAX_STORE_BYTES", ["5GB", "0"]],
  ["ACCESS_RECHECK_SECONDS", ["-1", "3601", "5m"]],
  ["OPERATOR_IDS", ["octocat", "1;2", "1,,2"]],
  ["LOCAL_MODE", ["true", "yes"]],
])("a value of %s that can't be understood is an error that names it", (name, values) => {
  for (const value of values) {
    const errors = errorsOf({ [name]: value });
    expect(errors, String(value)).toHaveLength(1);
    expect(errors[0]).toMatch(new RegExp(`^${name} must `));
  }
});

test("all errors are told at once, and none shows a value", () => {
  const errors = errorsOf({ GITHUB_APP_PRIVATE_KEY: "hunter2", OPERATOR_IDS: "hunter2", MAX_STORE_BYTES: "hunter2" });
  expect(errors).toHaveLength(3);
  expect(errors.join()).not.toContain("hunter2");
});

test("retention days that are not a number, or negative, are the default", () => {
  for (const value of ["three", "-1", "", " ", "Infinity", undefined]) {
    const config = configOf({ PURGE_AFTER_DAYS: value, UNPROCESSED_PURGE_AFTER_DAYS: value });
    expect([config.purgeAfterDays, config.unprocessedPurgeAfterDays], String(value)).toEqual([3, 90]);
  }
});

test("the answer is kept for an env object", () => {
  const env = { PUBLIC_URL };
  expect(readConfig(env)).toBe(readConfig(env));
});

test("local mode needs LOCAL_MODE=1, no client id and a loopback host", () => {
  const asked = configOf({ LOCAL_MODE: "1", LOCAL_TOKEN: "t" });
  for (const host of ["localhost:8787", "127.0.0.1", "127.8.8.8:1", "[::1]:8787"]) {
    expect(localMode(asked, new URL(`http://${host}/x`)), host).toBe(true);
  }
  for (const host of [
    "hooks.example",
    "localhost.example",
    "0.0.0.0",
    "10.0.0.1",
    "[2001:db8::1]",
    "127.0.0.1.example",
  ]) {
    expect(localMode(asked, new URL(`http://${host}/x`)), host).toBe(false);
  }
  const local = new URL("http://127.0.0.1:8787/");
  expect(localMode(configOf({ LOCAL_MODE: "0" }), local)).toBe(false);
  expect(localMode(configOf({ LOCAL_MODE: "1", GITHUB_CLIENT_ID: "Iv1.x" }), local)).toBe(false);
});

test("LOCAL_TOKEN counts only in local mode", () => {
  expect(configOf({ LOCAL_MODE: "1", LOCAL_TOKEN: "t" }).localToken).toBe("t");
  expect(configOf({ LOCAL_TOKEN: "t" }).localToken).toBeNull();
  expect(configOf({ LOCAL_MODE: "1", LOCAL_TOKEN: "t", GITHUB_CLIENT_ID: "Iv1.x" }).localToken).toBeNull();
});
