/**
 * One question to many stores: a few at a time, and an answer from those that can give one.
 *
 * A store that fails, or takes too long, is named; its silence never looks like "nothing there".
 */
import { errorText, log } from "../log.ts";
import type { ViewerAccount } from "../viewer.ts";
import { InboxError } from "./errors.ts";

/** Calls under way at once: Workers keep at most six connections open for one request. */
const PARALLEL = 6;
/** How long one store may take. */
const STORE_TIMEOUT_MS = 10_000;

/** An account whose store gave no answer. */
export interface Unavailable {
  account_id: number;
  login: string;
}

export interface FanOut<T> {
  results: { account: ViewerAccount; value: T }[];
  unavailable: Unavailable[];
}

/** Asks every account's store, at most six at once. Results are in the order of account ids. */
export async function fanOut<T>(
  accounts: readonly ViewerAccount[],
  ask: (account: ViewerAccount) => Promise<T>,
): Promise<FanOut<T>> {
  const results: FanOut<T>["results"] = [];
  const unavailable: Unavailable[] = [];
  const queue = [...accounts];
  const worker = async () => {
    for (let account = queue.shift(); account; account = queue.shift()) {
      try {
        results.push({ account, value: await withTimeout(ask(account)) });
      } catch (error) {
        // What was asked is wrong, whichever store says so.
        if (error instanceof InboxError) throw error;
        log("error", "store_unavailable", { account: account.accountId, error: errorText(error) });
        unavailable.push({ account_id: account.accountId, login: account.login });
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(PARALLEL, accounts.length) }, worker));
  results.sort((a, b) => a.account.accountId - b.account.accountId);
  return { results, unavailable };
}

/**
 * {@link fanOut} for a question that nobody's silence may answer.
 * @throws InboxError `unavailable` when there are stores and none of them answers.
 */
export async function askAll<T>(
  accounts: readonly ViewerAccount[],
  ask: (account: ViewerAccount) => Promise<T>,
): Promise<FanOut<T>> {
  const answers = await fanOut(accounts, ask);
  if (answers.results.length === 0) refuseSilence(answers.unavailable);
  return answers;
}

/** @throws InboxError `unavailable` when any store gave no answer. */
export function refuseSilence(unavailable: readonly Unavailable[]): void {
  if (unavailable.length > 0) throw new InboxError("unavailable", noAnswer(unavailable));
}

/** The sentence for a reader who must not take silence for "no events". */
export function noAnswer(unavailable: readonly Unavailable[]): string {
  const names = unavailable.slice(0, 5).map(({ login, account_id }) => `${login} (account ${account_id})`);
  const rest = unavailable.length > names.length ? ` and ${unavailable.length - names.length} more` : "";
  return `No answer from ${names.join(", ")}${rest}. Events there are unknown, not absent: try again in a minute.`;
}

function withTimeout<T>(answer: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no answer within ${STORE_TIMEOUT_MS} ms`)), STORE_TIMEOUT_MS);
  return Promise.race([answer, promise]).finally(() => clearTimeout(timer));
}
