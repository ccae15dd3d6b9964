/** Access of somebody with 250 installations and 1,500 repositories. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type StandInGitHub, startGitHub } from "../../../test/github/start.ts";
import { largeWorld } from "../../../test/github/worlds.ts";
import { type AccessProgress, readAccessBatch } from "./access-batch.ts";
import { createApi, type GitHubApi } from "./api.ts";
import { batchRunner, userGitHub } from "./user-github.ts";

let github: StandInGitHub;
let token: string;

beforeAll(async () => {
  github = await startGitHub(largeWorld(), { callbackUrls: [] });
  token = await github.tokens.issue("mona");
});
afterAll(() => github.close());

const settings = () => ({
  githubUrl: github.url,
  githubApiUrl: github.apiUrl,
  githubClientId: github.app.clientId,
  githubClientSecret: github.app.clientSecret,
});

describe("a reading of 250 installations and 1,500 repositories", () => {
  it("sees all of them, with six connections at most", async () => {
    github.front.mostAtOnce = 0;
    github.faults.set({ kind: "slow", delayMs: 5 });
    const answer = await userGitHub(settings()).access(token);
    github.faults.set();
    if (answer.outcome !== "ok") throw new Error(answer.reason);
    const [own, ...organizations] = answer.value.accounts;
    expect(own).toMatchObject({ login: "mona", repositories: "all" });
    expect(organizations).toHaveLength(250);
    const owned = organizations.filter(({ orgOwner }) => orgOwner);
    expect(owned.map(({ login, repositories }) => [login, repositories])).toEqual([
      ["org-2", "all"],
      ["org-3", "all"],
    ]);
    const seen = organizations.flatMap(({ repositories }) => (repositories === "all" ? [] : repositories));
    expect(new Set(seen).size).toBe(1_500 - 2 * 4);
    expect(seen).toHaveLength(1_500 - 2 * 4);
    expect(organizations.find(({ login }) => login === "org-1")?.repositories).toHaveLength(504);
    expect(github.front.mostAtOnce).toBeLessThanOrEqual(6);
    expect(github.front.mostAtOnce).toBeGreaterThan(1);
  });

  it("asks at most 40 questions in one batch, and nothing twice", async () => {
    github.front.seen.length = 0;
    const perBatch: number[] = [];
    const inner = batchRunner(settings());
    const answer = await userGitHub(settings(), {
      async runBatch(accessToken, progress) {
        const before = github.front.seen.length;
        // As over RPC: the progress is plain data.
        const step = await inner(accessToken, structuredClone(progress));
        perBatch.push(github.front.seen.length - before);
        return step;
      },
    }).access(token);
    expect(answer.outcome).toBe("ok");
    expect(Math.max(...perBatch)).toBeLessThanOrEqual(40);
    const asked = github.front.seen.map(({ path }) => path);
    expect(new Set(asked).size).toBe(asked.length);
    // user, 3 pages of installations, 3 of memberships, 6 pages of one and 247 single pages of repositories
    expect(asked).toHaveLength(1 + 3 + 3 + 6 + 247);
  });

  it("is nothing at all when one of its last pages fails", async () => {
    const { id } = github.world.installation("org-250");
    github.faults.set({ kind: "server-error", path: `/user/installations/${id}/` });
    expect(await userGitHub(settings()).access(token)).toMatchObject({
      outcome: "unavailable",
      reason: `GET /user/installations/${id}/repositories: status 502`,
    });
    github.faults.set();
  });

  it("is unavailable, and no exception, when the object that runs a batch is lost", async () => {
    const runBatch = async (): Promise<never> => {
      throw new Error("Durable Object reset because its code was updated");
    };
    const answer = await userGitHub(settings(), { runBatch }).access(token);
    expect(answer).toMatchObject({ outcome: "unavailable", reason: expect.stringContaining("reset") });
  });
});

it("a server that claims millions of pages is not asked for them", async () => {
  const api = createApi(github.apiUrl);
  const boastful: GitHubApi = {
    async get(path, query, accessToken, schema) {
      const answer = await api.get(path, query, accessToken, schema);
      if (answer.outcome !== "ok" || path !== "/user/installations") return answer;
      return { outcome: "ok", value: { ...answer.value, total_count: 1e12 } };
    },
  };
  const progress: AccessProgress | null = null;
  expect(await readAccessBatch(boastful, token, progress)).toMatchObject({ outcome: "unavailable" });
});
