/** The official conformance suite's client scenarios, with the bridge as the client and a small wrapper to drive it. */
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { packageBin } from "../clients/package-bin.ts";
import { runProgram } from "../clients/run-program.ts";

const SUITE = packageBin("@modelcontextprotocol/conformance", "conformance");
const CLIENT = fileURLToPath(new URL("./support/conformance-client.ts", import.meta.url));

test.each([
  ["initialize", "2025-11-25"],
  ["tools_call", "2025-11-25"],
  ["tools_call", "2026-07-28"],
  ["sse-retry", "2025-11-25"],
])("%s of protocol %s passes", { timeout: 90_000 }, async (scenario, version) => {
  const run = await runProgram(process.execPath, [
    ...[SUITE, "client", "--command", `${process.execPath} ${CLIENT}`],
    ...["--scenario", scenario, "--spec-version", version],
  ]);
  const said = `${run.stdout}\n${run.stderr}`;
  expect(run.code, said).toBe(0);
  expect(said).toMatch(/Passed: (\d+)\/\1, 0 failed, 0 warnings/);
});
