import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readConfig } from "../../worker/src/config.ts";
import { mergeSettings, readDevVars, readPort, SECRETS, SETTINGS } from "./settings.mjs";

test("the environment wins over .dev.vars, and empty takes a value away", () => {
  const devVars = { GITHUB_WEBHOOK_SECRET: "file", GITHUB_CLIENT_ID: "file", OPERATOR_IDS: "1", UNKNOWN: "x" };
  const env = { GITHUB_WEBHOOK_SECRET: "env", GITHUB_CLIENT_ID: "", PURGE_AFTER_DAYS: "7", PATH: "/bin" };
  expect(mergeSettings(env, devVars)).toEqual({
    GITHUB_WEBHOOK_SECRET: "env",
    OPERATOR_IDS: "1",
    PURGE_AFTER_DAYS: "7",
  });
});

test("local mode can't be asked for from outside", () => {
  const asked = { LOCAL_MODE: "1", LOCAL_TOKEN: "t" };
  expect(mergeSettings(asked, asked)).toEqual({});
});

test("every variable that the Worker reads is a setting, and wrangler.toml explains it", () => {
  const read: string[] = [];
  const spy = new Proxy({} as Record<string, string>, {
    get(_, name) {
      if (typeof name === "string") read.push(name);
      return undefined;
    },
  });
  readConfig(spy);
  const ofTheWorker = [...new Set(read)].filter((name) => !name.startsWith("LOCAL_"));
  expect([...SETTINGS].sort()).toEqual(ofTheWorker.sort());

  const toml = readFileSync(new URL("../../wrangler.toml", import.meta.url), "utf8");
  for (const name of SETTINGS) expect(toml, name).toContain(name);
  const example = readFileSync(new URL("../../.dev.vars.example", import.meta.url), "utf8");
  for (const name of SECRETS) expect(example, name).toContain(`${name}=""`);
});

test(".dev.vars may be missing, and holds quoted and many-line values", () => {
  const path = join(mkdtempSync(join(tmpdir(), "dev-vars-")), ".dev.vars");
  expect(readDevVars(path)).toEqual({});
  writeFileSync(path, '# a comment\nGITHUB_WEBHOOK_SECRET = "a b#c"\nGITHUB_APP_PRIVATE_KEY="-----\nx\n-----"\n');
  expect(readDevVars(path)).toEqual({ GITHUB_WEBHOOK_SECRET: "a b#c", GITHUB_APP_PRIVATE_KEY: "-----\nx\n-----" });
});

test("PORT is a port", () => {
  expect([undefined, "", "0", "9000"].map(readPort)).toEqual([8787, 8787, 0, 9000]);
  for (const bad of ["http", "-1", "1.5", "65536", "80 "]) expect(() => readPort(bad), bad).toThrow("PORT must be");
});
