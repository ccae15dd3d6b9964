/**
 * Who a user is and what GitHub lets them see through this App's installations, read in batches.
 *
 * The work is a list of pages still to be asked for, kept as plain data between batches: one request of a Worker may
 * ask 50 questions on Cloudflare's free plan, and somebody with 250 installations needs more than 250. A batch that
 * runs in a request of its own (a call of a Durable Object) has a limit of its own.
 *
 * A repository is seen only where `GET /user/installations/{id}/repositories` lists it: the installation alone is
 * listed for a collaborator on any one of its repositories.
 */
import { z } from "zod";
import type { AccessAccount, GitHubAccess, GitHubResult } from "../ports.ts";
import type { ApiAnswer, GitHubApi } from "./api.ts";

/** A Worker has six connections at once; more would wait, with their time running. */
const CONNECTIONS = 6;
/** Questions in one batch: below the 50 of the free plan, with room for what the caller asks besides. */
const BATCH = 40;
/** No account is that large; a server that claims so would have us ask for ever. */
const MOST_QUESTIONS = 5_000;
const PER_PAGE = 100;

interface Page {
  list: "user" | "owned" | "installations" | "repositories";
  page: number;
  /** Whose repositories, for that list. */
  installationId: number;
}

interface Installation {
  id: number;
  accountId: number;
  login: string;
}

/** A reading that is under way. Plain data: it may cross RPC. */
export interface AccessProgress {
  user: { id: number; login: string } | null;
  /** Organizations that the user owns. */
  owned: number[];
  installations: Installation[];
  /** By account. */
  repositories: [accountId: number, ids: number[]][];
  todo: Page[];
  asked: number;
}

export type AccessStep = { done: true; access: GitHubAccess } | { done: false; progress: AccessProgress };

const id = z.number().int().positive();
const user = z.object({ id, login: z.string().min(1) });
const installationPage = z.object({
  total_count: z.number().int().nonnegative(),
  installations: z.array(
    z.object({
      id,
      account: z.object({ id, login: z.string().min(1).optional() }).nullable(),
      target_type: z.string().optional(),
      suspended_at: z.string().nullish(),
    }),
  ),
});
const repositoryPage = z.object({
  total_count: z.number().int().nonnegative(),
  repositories: z.array(z.object({ id })),
});
const membershipPage = z.array(z.object({ state: z.string(), role: z.string(), organization: z.object({ id }) }));

function start(): AccessProgress {
  const first = (list: Page["list"]): Page => ({ list, page: 1, installationId: 0 });
  const todo = [first("user"), first("installations"), first("owned")];
  return { user: null, owned: [], installations: [], repositories: [], todo, asked: 0 };
}

/**
 * Asks the next questions of a reading, at most {@link BATCH} of them and {@link CONNECTIONS} at once.
 *
 * @param progress what the batch before it gave; null = begin
 */
export async function readAccessBatch(
  api: GitHubApi,
  accessToken: string,
  progress: AccessProgress | null,
): Promise<GitHubResult<AccessStep>> {
  const reading = structuredClone(progress ?? start());
  const turn = { left: BATCH, failure: null as GitHubResult<never> | null };
  await round(api, accessToken, reading, turn);
  // Whose repositories matter is known once installations and ownership are.
  if (reading.todo.length === 0 && reading.repositories.length === 0) {
    planRepositories(reading);
    await round(api, accessToken, reading, turn);
  }
  if (turn.failure) return turn.failure;
  if (reading.asked + reading.todo.length > MOST_QUESTIONS) {
    return { outcome: "unavailable", reason: "access: more pages than are asked for", retryAfterSeconds: null };
  }
  if (reading.todo.length > 0) return { outcome: "ok", value: { done: false, progress: reading } };
  return { outcome: "ok", value: { done: true, access: assemble(reading) } };
}

/** Works on the list of pages until it is empty, the batch is full or a question failed. */
async function round(
  api: GitHubApi,
  accessToken: string,
  reading: AccessProgress,
  turn: { left: number; failure: GitHubResult<never> | null },
): Promise<void> {
  const questions = new Set<Promise<void>>();
  for (;;) {
    while (questions.size < CONNECTIONS && turn.left > 0 && turn.failure === null) {
      const page = reading.todo.shift();
      if (page === undefined) break;
      turn.left--;
      reading.asked++;
      const question = ask(api, accessToken, reading, page).then((failure) => {
        questions.delete(question);
        turn.failure ??= failure;
      });
      questions.add(question);
    }
    if (questions.size === 0) return;
    await Promise.race(questions);
  }
}

/** Asks for one page and notes what it says, the pages after it included. */
async function ask(
  api: GitHubApi,
  accessToken: string,
  reading: AccessProgress,
  page: Page,
): Promise<GitHubResult<never> | null> {
  const query = { per_page: PER_PAGE, page: page.page };
  switch (page.list) {
    case "user": {
      const answer = await api.get("/user", {}, accessToken, user);
      if (answer.outcome !== "ok") return failureOf(answer, page.list);
      reading.user = answer.value;
      return null;
    }
    case "owned": {
      const answer = await api.get(
        "/user/memberships/orgs",
        { ...query, state: "active" },
        accessToken,
        membershipPage,
      );
      // An App without the permission to see members: then nobody is known as an owner.
      if (answer.outcome === "forbidden") return null;
      if (answer.outcome !== "ok") return failureOf(answer, page.list);
      const admin = answer.value.filter(({ role, state }) => role === "admin" && state === "active");
      reading.owned.push(...admin.map(({ organization }) => organization.id));
      // This list has no total.
      if (answer.value.length >= PER_PAGE) reading.todo.push({ ...page, page: page.page + 1 });
      return null;
    }
    case "installations": {
      const answer = await api.get("/user/installations", query, accessToken, installationPage);
      if (answer.outcome !== "ok") return failureOf(answer, page.list);
      for (const { id, account, target_type, suspended_at } of answer.value.installations) {
        // An enterprise has no store, and its id is of another kind than users' and organizations'.
        if (account?.login === undefined || target_type === "Enterprise" || suspended_at) continue;
        reading.installations.push({ id, accountId: account.id, login: account.login });
      }
      planRest(reading, page, answer.value.total_count);
      return null;
    }
    case "repositories": {
      const path = `/user/installations/${page.installationId}/repositories`;
      const answer = await api.get(path, query, accessToken, repositoryPage);
      // Removed since it was listed, or kept from this session by the organization (single sign-on, addresses).
      if (answer.outcome === "forbidden") return null;
      if (answer.outcome !== "ok") return failureOf(answer, page.list);
      const accountId = reading.installations.find(({ id }) => id === page.installationId)?.accountId;
      const known = reading.repositories.find(([account]) => account === accountId);
      known?.[1].push(...answer.value.repositories.map(({ id }) => id));
      planRest(reading, page, answer.value.total_count);
      return null;
    }
  }
}

/** The first page of a list tells how many there are: the others can be asked for side by side. */
function planRest(reading: AccessProgress, first: Page, total: number): void {
  if (first.page > 1) return;
  const last = Math.min(Math.ceil(total / PER_PAGE), MOST_QUESTIONS + 1);
  for (let page = 2; page <= last; page++) reading.todo.push({ ...first, page });
}

function planRepositories(reading: AccessProgress): void {
  for (const { id, accountId } of reading.installations) {
    if (seesAll(reading, accountId)) continue;
    if (!reading.repositories.some(([account]) => account === accountId)) reading.repositories.push([accountId, []]);
    reading.todo.push({ list: "repositories", page: 1, installationId: id });
  }
}

function seesAll(reading: AccessProgress, accountId: number): boolean {
  return accountId === reading.user?.id || reading.owned.includes(accountId);
}

function assemble(reading: AccessProgress): GitHubAccess {
  const { id, login } = reading.user as { id: number; login: string };
  const accounts = new Map<number, AccessAccount>([
    [id, { accountId: id, login, repositories: "all", orgOwner: true }],
  ]);
  const repositories = new Map(reading.repositories);
  for (const { accountId, login } of reading.installations) {
    if (accounts.has(accountId)) continue;
    const all = seesAll(reading, accountId);
    const ids = all ? "all" : [...new Set(repositories.get(accountId))].sort((a, b) => a - b);
    accounts.set(accountId, { accountId, login, repositories: ids, orgOwner: all });
  }
  return { userId: id, login, accounts: [...accounts.values()] };
}

/** A token that is good for nothing, or not even for its user's name (a suspended account), is refused. */
function failureOf(answer: Exclude<ApiAnswer<unknown>, { outcome: "ok" }>, list: Page["list"]): GitHubResult<never> {
  if (answer.outcome === "unavailable") return answer;
  const { outcome, reason } = answer;
  const refused = outcome === "unauthorized" || (list === "user" && answer.status === 403);
  // Everything else is about the address or the App, and tells nothing about the user.
  return refused ? { outcome: "refused", reason } : { outcome: "unavailable", reason, retryAfterSeconds: null };
}
