/**
 * `npm run bench:oauth`: what sign-in costs where it is used: the bearer check of every call, and token refreshes on
 * one shard. The Worker on raw workerd, people signed in through the stand-in GitHub; 127.0.0.1 only. Prints the tables
 * of docs/benchmarks.md and writes dist/bench/oauth.json.
 *
 *     npm run bench:oauth -- [--quick] [--rounds N]
 */
import { loadavg } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Grant, registerClient, signIn } from "./lib/grants.ts";
import { fixed, machine, machineLine, markdownTable, percentile, thousands, writeJson } from "./lib/report.ts";
import { root, Scratch } from "./lib/scratch.ts";
import { startSignedInWorker } from "./lib/signed-in-worker.ts";
import { countRequests, isValid, measureChecks, SERIES, type Series } from "./oauth/checks.ts";
import { flatOut, type Refreshes, steadily } from "./oauth/refreshes.ts";

const { values: options } = parseArgs({ options: { quick: { type: "boolean" }, rounds: { type: "string" } } });

/** As many sign-ins as one address may begin in a minute. */
const GRANTS = options.quick ? 24 : 96;
const ROUNDS = Number(options.rounds ?? (options.quick ? 2 : 8));
const SECONDS = options.quick ? 2 : 15;
const CLIENTS = 16;
const GOAL_PER_SECOND = 200;
const GOAL_CHECK_MS = 1;

using scratch = new Scratch();
const worker = await startSignedInWorker(scratch, {
  name: "oauth",
  main: join(root, "bench/oauth/worker/index.ts"),
  vars: {
    // What is measured is the shard, not GitHub.
    ACCESS_RECHECK_SECONDS: "3600",
  },
});
const { origin, http, github, pid } = worker;

const load = loadavg()[0] ?? Number.NaN;
const clientId = await registerClient(http);
const grants: Grant[] = [];
for (let i = 0; i < GRANTS; i++) grants.push(await signIn(http, origin, clientId, i));
process.stderr.write(`${GRANTS} people signed in\n`);
const first = grants.map((grant) => ({ ...grant }));

const use = async () => {
  const valid = await Promise.all(grants.map((grant) => isValid(http, grant)));
  if (valid.includes(false)) throw new Error(`${valid.filter((one) => !one).length} access tokens are not valid`);
};
await use();
const counts = await countRequests(http, grants[0]!);
if (counts.bare !== 0 || counts.uncached !== 1 || counts.cached !== 0) {
  throw new Error(`requests to Durable Objects: ${JSON.stringify(counts)}`);
}
const checks = await measureChecks(http, grants, ROUNDS);
process.stderr.write("checks measured\n");

const asked = github.front.seen.length;
const refreshLoad = { http, clientId, grants, seconds: SECONDS, pid };
await flatOut({ ...refreshLoad, seconds: 2 }, CLIENTS);
const refreshes: Record<string, Refreshes> = {
  [`${CLIENTS} clients, flat out`]: await flatOut(refreshLoad, CLIENTS),
  [`${GOAL_PER_SECOND} a second`]: await steadily(refreshLoad, GOAL_PER_SECOND),
};
if (github.front.seen.length !== asked) throw new Error("GitHub was asked during the refreshes");
await use();
for (const [i, grant] of grants.entries()) {
  if (grant.refresh_token === first[i]?.refresh_token) throw new Error("a grant that was never refreshed");
}
process.stderr.write("all pairs have rotated and are valid\n");

await worker.close();

const p = (values: readonly number[], share: number) => percentile(values, share);
const NAMES: Record<Series, string> = {
  bare: "404 without a check",
  "api cached": "404 behind a check, cached",
  "api uncached": "404 behind a check, uncached",
  "mcp cached": "MCP get_pending_status, check cached",
  "mcp uncached": "MCP get_pending_status, check uncached",
};
const added = (after: Series, before: Series) => p(checks[after], 0.5) - p(checks[before], 0.5);
const cachedMs = added("api cached", "bare");
const sustained = Object.values(refreshes).map(({ perSecond }) => perSecond);
const flat = sustained[0] ?? 0;
const steady = sustained[1] ?? 0;
const met = (yes: boolean) => (yes ? "met" : "**missed**");

const here = machine();
const checkTable = markdownTable(
  ["One request at a time", "requests", "p50 ms", "p99 ms", "adds, p50 ms", "DO requests of the check"],
  SERIES.map((series) => {
    const base: Series | null = series.startsWith("api ") ? "bare" : series === "mcp uncached" ? "mcp cached" : null;
    return [
      NAMES[series],
      thousands(checks[series].length),
      ...[0.5, 0.99].map((share) => fixed(p(checks[series], share), 2)),
      base ? fixed(added(series, base), 2) : "–",
      // Counted below /api; the check of /mcp is the same one.
      String(series === "bare" ? counts.bare : series.endsWith("uncached") ? counts.uncached : counts.cached),
    ];
  }),
);
const refreshTable = markdownTable(
  ["Token refreshes on one shard", "refreshes", "per second", "p50 ms", "p99 ms", "CPU ms each"],
  Object.entries(refreshes).map(([name, { amount, perSecond, latencies, cpuPerRefresh }]) => [
    name,
    thousands(amount),
    thousands(perSecond),
    ...[0.5, 0.99].map((share) => fixed(p(latencies, share), 1)),
    fixed(cpuPerRefresh, 2),
  ]),
);
const goalTable = markdownTable(
  ["Goal", "Measured", ""],
  [
    [`a cached check adds under ${GOAL_CHECK_MS} ms p50`, `${fixed(cachedMs, 2)} ms`, met(cachedMs < GOAL_CHECK_MS)],
    ["one DO request uncached", String(counts.uncached), met(counts.uncached === 1)],
    [
      `${GOAL_PER_SECOND} refreshes a second on one shard, ${SECONDS} s`,
      `${thousands(flat)}/s flat out, ${thousands(steady)}/s of ${GOAL_PER_SECOND} offered`,
      // The last of a steady load is answered after the time is up.
      met(flat >= GOAL_PER_SECOND && steady >= GOAL_PER_SECOND * 0.99),
    ],
  ],
);
console.log(
  [
    `${machineLine(here)} Load before ${fixed(load, 2)}, after ${fixed(loadavg()[0] ?? null, 2)}.`,
    checkTable,
    refreshTable,
    goalTable,
  ].join("\n\n"),
);
writeJson(join(root, "dist/bench/oauth.json"), { machine: here, load, counts, checks, refreshes });
