/**
 * The official conformance suite of MCP against a running `npm start`, for each revision of the protocol that is
 * served. What it can't find here stands in expected-*.yml, with reasons in README.md; anything else that fails is a
 * failure, and so is an entry that has begun to pass.
 */
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, test } from "vitest";
import { packageBin } from "../clients/package-bin.ts";
import { runProgram } from "../clients/run-program.ts";
import { endAll, startServer, temporaryState } from "../node/support/local-server.ts";
import { type BearerProxy, bearerProxy } from "./bearer-proxy.ts";

const SUITE = packageBin("@modelcontextprotocol/conformance", "conformance");

/** What is run in any case: a suite that ran nothing would find nothing wrong. */
const BOTH = ["tools-list", "resources-list", "prompts-list", "dns-rebinding-protection"];
const FIXTURELESS: Record<string, readonly string[]> = {
  "2025-11-25": [...BOTH, "server-initialize", "ping"],
  "2026-07-28": [...BOTH, "sep-2164-resource-not-found", "caching", "http-header-validation"],
};

const state = temporaryState();
let proxy: BearerProxy;

beforeAll(async () => {
  const server = await startServer(state.path);
  proxy = await bearerProxy(server.url, server.token);
}, 90_000);
afterAll(() => {
  proxy?.close();
  endAll();
  state.dispose();
});

test.for(["2025-11-25", "2026-07-28"])(
  "what protocol %s requires, and needs no fixture, holds",
  { timeout: 180_000 },
  async (revision, { expect }) => {
    const baseline = fileURLToPath(new URL(`./expected-${revision}.yml`, import.meta.url));
    const run = await runProgram(process.execPath, [
      SUITE,
      ...["server", "--url", `${proxy.url}/mcp`],
      ...["--requirements", revision, "--expected-failures", baseline],
    ]);
    const summary = run.stdout.slice(run.stdout.indexOf("=== SUMMARY ==="));
    expect(run.code, `${summary}\n${run.stderr}`).toBe(0);
    expect(summary).toContain("Baseline check passed");
    for (const scenario of FIXTURELESS[revision]!) expect(summary).toContain(`✓ ${scenario}: `);
  },
);
