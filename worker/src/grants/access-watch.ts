/**
 * Access is looked at again for as long as an answer lasts: a stream that is open for an hour must end when the token is
 * revoked or the user loses what they see.
 */
import { errorText, log } from "../log.ts";
import type { McpCaller } from "../ports.ts";
import type { Viewer, ViewerAccount } from "../viewer.ts";

/** With the five seconds for which a check is remembered, lost access is noticed within 20 seconds. */
export const RECHECK_MS = 15_000;
/** In local mode an account appears with its first event, which an open stream should not miss by more than this. */
export const LOCAL_RECHECK_MS = 300;
/** For so long a stream goes on while access can't be checked: then whoever may have lost it is cut off all the same. */
const UNCONFIRMED_MS = 30_000;

export interface AccessWatchDeps {
  /** What was allowed when the answer began. */
  viewer: Viewer;
  /** Whom the token speaks for now; null = nobody any more. */
  check(): Promise<McpCaller | null>;
  everyMs: number;
  /** The viewer sees more than before, and all that they saw before. */
  onGrown(viewer: Viewer): void;
  /** The token is not valid any more, or the viewer sees less. Called once, and the watch is over. */
  onLost(): void;
  /** Nothing could be found out for 30 seconds. Called once, and the watch is over. */
  onUnknown(): void;
}

export class AccessWatch {
  readonly #deps: AccessWatchDeps;
  readonly #timer: ReturnType<typeof setInterval>;
  #viewer: Viewer;
  #confirmed = Date.now();
  #checking = false;
  #stopped = false;

  constructor(deps: AccessWatchDeps) {
    this.#deps = deps;
    this.#viewer = deps.viewer;
    this.#timer = setInterval(() => void this.#look(), deps.everyMs);
  }

  stop(): void {
    this.#stopped = true;
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    if (this.#checking) return this.#unconfirmed();
    this.#checking = true;
    const asked = Date.now();
    try {
      const caller = await this.#deps.check();
      if (!this.#stopped) this.#found(caller, asked);
    } catch (error) {
      log("warn", "access_recheck_failed", { error: errorText(error) });
      this.#unconfirmed();
    } finally {
      this.#checking = false;
    }
  }

  #found(caller: McpCaller | null, asked: number): void {
    const change = caller === null ? "lost" : compareAccess(this.#viewer, caller.viewer);
    if (caller === null || change === "lost") {
      this.stop();
      this.#deps.onLost();
      return;
    }
    this.#confirmed = asked;
    if (change === "same") return;
    this.#viewer = caller.viewer;
    this.#deps.onGrown(caller.viewer);
  }

  #unconfirmed(): void {
    if (this.#stopped || Date.now() - this.#confirmed < UNCONFIRMED_MS) return;
    this.stop();
    this.#deps.onUnknown();
  }
}

/** What has become of a viewer's access. `lost`: something that was seen is not seen now, whatever has been gained. */
export function compareAccess(before: Viewer, after: Viewer): "same" | "grown" | "lost" {
  if (before.userId !== after.userId) return "lost";
  const now = new Map(after.accounts.map((account) => [account.accountId, account]));
  let grown = now.size > before.accounts.length;
  for (const account of before.accounts) {
    const change = compareAccounts(account, now.get(account.accountId));
    if (change === "lost") return "lost";
    grown ||= change === "grown";
  }
  return grown ? "grown" : "same";
}

function compareAccounts(before: ViewerAccount, after: ViewerAccount | undefined): "same" | "grown" | "lost" {
  if (after?.repositories === "all") return before.repositories === "all" ? "same" : "grown";
  if (!after || before.repositories === "all" || (before.orgOwner && !after.orgOwner)) return "lost";
  for (const id of before.repositories) if (!after.repositories.has(id)) return "lost";
  return after.repositories.size > before.repositories.size || after.orgOwner !== before.orgOwner ? "grown" : "same";
}
