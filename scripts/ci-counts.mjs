/**
 * Sums up vitest's JSON report for .ci/run: `ci-counts.mjs REPORT EXIT_CODE` prints `N passed, N failed`. A run that
 * failed although no test did (a file that can't be loaded, an unhandled error, no report at all) counts as one failure.
 */
import { readFileSync } from "node:fs";

const [reportPath = "", exitCode = ""] = process.argv.slice(2);

let passed = 0;
let failed = 0;
try {
  const report = JSON.parse(readFileSync(reportPath, "utf8"));
  passed = report.numPassedTests;
  failed = report.numFailedTests;
  for (const { status, name, message } of report.testResults) {
    if (status === "failed") console.log(`FAILED: ${name} ${message}`.trim());
  }
} catch (error) {
  console.log(`FAILED: the tests left no report (${error.message})`);
}
if (failed === 0 && (exitCode !== "0" || passed === 0)) failed = 1;
console.log(`${passed} passed, ${failed} failed`);
