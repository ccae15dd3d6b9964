import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { SETTINGS } from "./scripts/start/settings.mjs";

/** Empty is unset: what a developer keeps in .dev.vars must not reach the tests. */
const unset = Object.fromEntries(SETTINGS.map((name) => [name, ""]));

/** Ends what hangs. Tests say nothing about speed (that is for the benchmarks), and a busy machine is slow. */
const patience = { testTimeout: 60_000, hookTimeout: 60_000 };

/**
 * `workerd` runs the Worker's tests inside the runtime it is deployed to (Durable Objects, SQLite and all), in local
 * mode and cut off from the network; `code-rag-workerd` the engine's conformance suite there. `code-rag`, `bridge` and
 * `node` run what is runtime-neutral and what starts processes of its own.
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
          ...patience,
        },
      },
      {
        plugins: [
          cloudflareTest({
            main: "./code-rag/test/workerd/host.ts",
            miniflare: {
              compatibilityDate: "2026-11-01",
              compatibilityFlags: ["nodejs_compat"],
              modulesRules: [
                { type: "CompiledWasm", include: ["**/*.wasm"] },
                { type: "Data", include: ["**/*.bin"] },
              ],
              durableObjects: { INDEX: { className: "IndexHost", useSQLite: true } },
            },
          }),
        ],
        test: { name: "code-rag-workerd", include: ["code-rag/test/workerd/**/*.test.ts"], ...patience },
      },
      {
        test: {
          name: "code-rag",
          include: ["code-rag/{src,train}/**/*.test.ts"],
          // Some start processes and servers; several files at a time would mostly measure each other.
          fileParallelism: false,
          ...patience,
        },
      },
      {
        test: {
          name: "bridge",
          include: ["local-mcp/src/**/*.test.ts", "mcp-server/**/*.test.ts", "test/bridge/**/*.test.ts"],
          // Processes and servers of their own, as above.
          fileParallelism: false,
          ...patience,
        },
      },
      {
        test: {
          name: "node",
          include: [
            "shared/src/**/*.test.ts",
            "scripts/**/*.test.ts",
            "worker/src/github/*.test.ts",
            "test/{node,github,clients,conformance,browser}/**/*.test.ts",
          ],
          // The flows start servers; two at a time would mostly measure each other.
          fileParallelism: false,
          ...patience,
        },
      },
    ],
  },
});
