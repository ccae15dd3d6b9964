import { z } from "zod";

const meta = z.object({ hooks: z.array(z.string()).min(1) });

/** How long the edge may answer for GitHub: isolates start often, and GitHub allows 60 requests an hour unsigned. */
const EDGE_CACHE_SECONDS = 1_800;

/**
 * The CIDR ranges that GitHub sends webhooks from, as `GET {api}/meta` lists them.
 *
 * https://docs.github.com/en/rest/meta/meta#get-github-meta-information
 *
 * @param apiUrl GITHUB_API_URL, without a trailing slash
 * @throws where the answer is late, not 200, or has no list
 */
export async function fetchHookRanges(apiUrl: string, timeoutMs: number): Promise<string[]> {
  const response = await fetch(`${apiUrl}/meta`, {
    // GitHub refuses requests without a User-Agent.
    headers: { Accept: "application/vnd.github+json", "User-Agent": "github-webhook-mcp" },
    signal: AbortSignal.timeout(timeoutMs),
    cf: { cacheEverything: true, cacheTtlByStatus: { "200": EDGE_CACHE_SECONDS, "201-599": -1 } },
  });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`GET /meta: ${response.status}`);
  }
  return meta.parse(await response.json()).hooks;
}
