import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { SETTINGS } from "./scripts/start/settings.mjs";

/** Empty is unset: what a developer keeps in .dev.vars must not reach the tests. */
const unset = Object.fromEntries(SETTINGS.map((name) => [name, ""]));

/**
 * Two projects: `workerd` runs the Worker's tests inside the runtime it is deployed to (Durable Objects, SQLite and
 * all), in local mode and cut off from the network; `node` runs what is runtime-neutral and what starts processes of
 * its own.
 */
export default defineConfig({
  test: {
    projects: [
      {
        plugins: [
          cloudflareTest({
            wrangler: { configPath: "./wrangler.toml" },
            miniflare: {
              bindings: {
                ...unset,
                PUBLIC_URL: "http://127.0.0.1:8787",
                GITHUB_WEBHOOK_SECRET: "webhook-secret-of-the-tests",
                LOCAL_MODE: "1",
                LOCAL_TOKEN: "local-token-of-the-tests",
              },
              outboundService: () => new Response("the tests have no network", { status: 503 }),
            },
          }),
        ],
        test: {
          name: "workerd",
          include: ["worker/src/**/*.test.ts", "test/worker/**/*.test.ts"],
          // These ask a server of their own, which runs in Node.
          exclude: ["worker/src/github/*.test.ts"],
        },
      },
      {
        test: {
          name: "node",
          include: [
            "shared/src/**/*.test.ts",
            "scripts/**/*.test.ts",
            "worker/src/github/*.test.ts",
            "test/{node,github,clients}/**/*.test.ts",
          ],
          // The flows start servers; two at a time would mostly measure each other.
          fileParallelism: false,
        },
      },
    ],
  },
});
