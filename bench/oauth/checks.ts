/**
 * What a bearer check costs. The same token makes the same call twice in a row: once after more than five seconds of
 * rest, when the isolate has to ask the shard, and again at once, when it remembers. What a remembered check adds is
 * taken from two answers that are alike but for it: 404 below `/api`, which stands behind the check, and 404 outside.
 * That difference holds the routing of `/api` as well, so that it is more than the check alone.
 *
 * A local token would be no baseline: its check asks the registry, and its viewer sees other stores.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { Grant } from "../lib/grants.ts";
import type { Call, Http } from "../lib/http.ts";

/** More than the five seconds for which a check is remembered. */
const REST_MS = 5_200;
const REPEATS = 3;

export const SERIES = ["bare", "api cached", "api uncached", "mcp cached", "mcp uncached"] as const;
export type Series = (typeof SERIES)[number];
export type Checks = Record<Series, number[]>;

const BARE: Call = { path: "/none" };
const api = ({ access_token }: Grant): Call => ({
  path: "/api/none",
  headers: { Authorization: `Bearer ${access_token}` },
});
const mcp = ({ access_token }: Grant): Call => ({
  method: "POST",
  path: "/mcp",
  headers: {
    Authorization: `Bearer ${access_token}`,
    "Content-Type": "application/json",
    Accept: "application/json, text/event-stream",
    "MCP-Protocol-Version": "2025-06-18",
  },
  body: JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "get_pending_status", arguments: {} },
  }),
});

/** Measures all series in turn, one request at a time. Tokens must have been used before: the first use is written. */
export async function measureChecks(http: Http, grants: readonly Grant[], rounds: number): Promise<Checks> {
  const checks: Checks = { bare: [], "api cached": [], "api uncached": [], "mcp cached": [], "mcp uncached": [] };
  const timed = async (series: Series, call: Call, status: number) => {
    const answer = await http.send(call);
    if (answer.status !== status || (status === 200 && !answer.body.includes('"result"'))) {
      throw new Error(`${series}: ${answer.status} ${answer.body}`);
    }
    checks[series].push(answer.ms);
  };
  for (let round = 0; round < rounds; round++) {
    await pause(REST_MS);
    for (const [i, grant] of grants.entries()) {
      if ((round + i) % 2) await timed("api uncached", api(grant), 404);
      else await timed("mcp uncached", mcp(grant), 200);
      for (let n = 0; n < REPEATS; n++) {
        await timed("bare", BARE, 404);
        await timed("api cached", api(grant), 404);
        await timed("mcp cached", mcp(grant), 200);
      }
    }
  }
  return checks;
}

/** Requests to Durable Objects that one check takes: uncached, cached, and an answer without one. */
export async function countRequests(
  http: Http,
  grant: Grant,
): Promise<{ bare: number; uncached: number; cached: number }> {
  const requests = async (call: Call) => {
    const before = await total(http);
    await http.send(call);
    return (await total(http)) - before;
  };
  await pause(REST_MS);
  return { bare: await requests(BARE), uncached: await requests(api(grant)), cached: await requests(api(grant)) };
}

async function total(http: Http): Promise<number> {
  return Number((await http.send({ path: "/bench/durable-object-requests" })).body);
}

/** Whether the check accepts an access token. */
export async function isValid(http: Http, grant: Grant): Promise<boolean> {
  return (await http.send(api(grant))).status === 404;
}
