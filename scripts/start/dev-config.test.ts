import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { devConfig } from "./dev-config.mjs";

test("routes and other environments go, since they would give every request the domain's name", () => {
  const directory = mkdtempSync(join(tmpdir(), "dev-config-"));
  const path = join(directory, "wrangler.toml");
  writeFileSync(
    path,
    `name = "x"
main = "src/index.ts"
account_id = "abc"
routes = [{ pattern = "hooks.example", custom_domain = true }]
[dev]
host = "hooks.example"
[vars]
GITHUB_URL = "https://github.com"
PURGE_AFTER_DAYS = "3"
[env.production]
routes = ["hooks.example/*"]
`,
  );
  expect(devConfig(path, { PURGE_AFTER_DAYS: "9", PUBLIC_URL: "http://127.0.0.1:1" }, ["LOCAL_TOKEN"])).toEqual({
    name: "x",
    main: join(directory, "src/index.ts"),
    vars: { GITHUB_URL: "https://github.com", PURGE_AFTER_DAYS: "9", PUBLIC_URL: "http://127.0.0.1:1" },
    secrets: { required: ["LOCAL_TOKEN"] },
  });
});

test("our own wrangler.toml keeps what makes the Worker what it is", () => {
  const toml = fileURLToPath(new URL("../../wrangler.toml", import.meta.url));
  const config = devConfig(toml, {}, []);
  expect(config).toMatchObject({
    name: "github-webhook-mcp",
    compatibility_flags: ["nodejs_compat"],
    durable_objects: { bindings: expect.arrayContaining([expect.objectContaining({ class_name: "WebhookStore" })]) },
    migrations: [expect.objectContaining({ tag: "v1" }), expect.objectContaining({ tag: "v2" })],
  });
  expect(config).not.toHaveProperty("env");
});
