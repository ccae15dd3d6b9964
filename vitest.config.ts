import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

/**
 * Two projects: `workerd` runs the Worker's tests inside the runtime it is deployed to (Durable Objects, SQLite and
 * all); `node` runs what is runtime-neutral and what starts processes of its own.
 */
export default defineConfig({
  test: {
    projects: [
      {
        plugins: [cloudflareTest({ wrangler: { configPath: "./wrangler.toml" } })],
        test: { name: "workerd", include: ["worker/src/**/*.test.ts", "test/worker/**/*.test.ts"] },
      },
      {
        plugins: [
          cloudflareTest({
            main: "./code-rag/test/workerd/host.ts",
            miniflare: {
              compatibilityDate: "2026-11-01",
              compatibilityFlags: ["nodejs_compat"],
              modulesRules: [{ type: "CompiledWasm", include: ["**/*.wasm"] }],
              durableObjects: { INDEX: { className: "IndexHost", useSQLite: true } },
            },
          }),
        ],
        test: { name: "code-rag-workerd", include: ["code-rag/test/workerd/**/*.test.ts"] },
      },
      {
        test: {
          name: "code-rag",
          include: ["code-rag/src/**/*.test.ts"],
          // Some start processes and servers; several files at a time would mostly measure each other.
          fileParallelism: false,
          testTimeout: 90_000,
        },
      },
      {
        test: { name: "node", include: ["shared/src/**/*.test.ts", "scripts/**/*.test.ts", "test/node/**/*.test.ts"] },
      },
    ],
  },
});
