/**
 * The bridge's bearer token: read from the state file, refreshed by one process at a time, got by a sign-in.
 *
 * What is in the file counts, never what this process remembers: other processes refresh and sign in as well. Only a 401
 * is remembered, by the token that it was for.
 */
import type { Access, AccessAnswer, BridgeState, StateFile } from "../ports.ts";
import type { OAuthAnswer, OAuthClient, TokenAnswer } from "./oauth-client.ts";
import { SignIn } from "./sign-in.ts";
import { ageOf } from "./token-age.ts";

type Tokens = NonNullable<BridgeState["tokens"]>;

/** The first answer to somebody who has to sign in: bridge.md wants it within a second. */
const FIRST_ANSWER_MS = 900;
/** How often the file is looked at while there is no token: another process may sign in. */
const WATCH_INTERVAL_MS = 500;

export interface AccessDeps {
  oauth: OAuthClient;
  state: StateFile;
  openBrowser(url: string): void;
  /** Milliseconds since the epoch. */
  now?(): number;
  pollIntervalMs?: number;
  /** How long somebody who has to sign in may wait to hear so. */
  firstAnswerMs?: number;
}

export function createAccess(deps: AccessDeps): Access {
  return new StoredAccess(deps);
}

class StoredAccess implements Access {
  readonly #oauth: OAuthClient;
  readonly #state: StateFile;
  readonly #now: () => number;
  readonly #signIn: SignIn;
  readonly #firstAnswerMs: number;
  readonly #listeners: (() => void)[] = [];
  #rejected: string | null = null;
  #refreshing: Promise<AccessAnswer | null> | null = null;
  #watch: ReturnType<typeof setInterval> | null = null;

  constructor({ oauth, state, openBrowser, now = Date.now, pollIntervalMs, firstAnswerMs }: AccessDeps) {
    this.#firstAnswerMs = firstAnswerMs ?? FIRST_ANSWER_MS;
    this.#oauth = oauth;
    this.#state = state;
    this.#now = now;
    this.#signIn = new SignIn({ oauth, state, openBrowser, now, ...(pollIntervalMs && { pollIntervalMs }) });
  }

  async token({ interactive }: { interactive: boolean }): Promise<AccessAnswer> {
    const { tokens } = await this.#state.read();
    if (tokens) {
      if (this.#isUsable(tokens, "fresh")) return { outcome: "token", token: tokens.accessToken };
      // One refresh at a time, for all who wait.
      this.#refreshing ??= this.#refresh().finally(() => {
        this.#refreshing = null;
      });
      const refreshed = await this.#refreshing;
      if (refreshed) return refreshed;
    }
    this.#watchFile();
    if (interactive) return await this.#signInSoon();
    await this.#signIn.resume();
    return notSignedIn;
  }

  reject(token: string): void {
    this.#rejected = token;
  }

  onAvailable(listener: () => void): void {
    this.#listeners.push(listener);
  }

  close(): void {
    this.#signIn.close();
    this.#stopWatching();
  }

  #isUsable(tokens: Tokens, age: "fresh" | "due"): boolean {
    if (tokens.accessToken === this.#rejected) return false;
    const actual = ageOf(tokens, this.#now());
    return actual === "fresh" || (age === "due" && actual === "due");
  }

  /** A refreshed token, or why there is none for now; null if somebody has to sign in. */
  async #refresh(): Promise<AccessAnswer | null> {
    try {
      return await this.#state.exclusive("refresh", () => this.#refreshAlone());
    } catch (error) {
      return { outcome: "unavailable", sentence: `The sign-in can't be renewed: ${(error as Error).message}` };
    }
  }

  async #refreshAlone(): Promise<AccessAnswer | null> {
    const tried = new Set<string>();
    for (;;) {
      const { tokens, client } = await this.#state.read();
      if (!tokens || !client) return await this.#forget(tokens);
      // Another process may have been first.
      if (this.#isUsable(tokens, "fresh")) return { outcome: "token", token: tokens.accessToken };
      // A process of another version, without this lock, may have put a newer one there.
      if (tokens.refreshToken === null || tried.has(tokens.refreshToken)) return await this.#forget(tokens);
      tried.add(tokens.refreshToken);
      const answer = await this.#oauth.refresh(client.clientId, tokens.refreshToken);
      if (answer.outcome === "ok") return await this.#keep(answer.value, tokens);
      if (answer.outcome === "unavailable") return this.#withoutRefresh(tokens, answer);
      if (answer.error === "invalid_client") {
        await this.#state.update(({ client: _, ...rest }) => rest);
        return await this.#forget(tokens);
      }
      // Only these two say that the sign-in is over (RFC 6749 §5.2); a gateway on the way has errors of its own.
      if (answer.error !== "invalid_grant") {
        const sentence = `The Worker, or something in front of it, refuses with "${answer.error}".`;
        return this.#withoutRefresh(tokens, { outcome: "unavailable", sentence, retryAfterSeconds: null });
      }
    }
  }

  async #keep({ accessToken, refreshToken, expiresInSeconds }: TokenAnswer, before: Tokens): Promise<AccessAnswer> {
    const tokens = {
      accessToken,
      refreshToken: refreshToken ?? before.refreshToken,
      receivedAt: this.#now(),
      expiresInSeconds,
    };
    await this.#state.update((state) => ({ ...state, tokens }));
    return { outcome: "token", token: accessToken };
  }

  #withoutRefresh(
    tokens: Tokens,
    { sentence }: Extract<OAuthAnswer<unknown>, { outcome: "unavailable" }>,
  ): AccessAnswer {
    if (this.#isUsable(tokens, "due")) return { outcome: "token", token: tokens.accessToken };
    return { outcome: "unavailable", sentence: `The sign-in can't be renewed now. ${sentence} Try again in a minute.` };
  }

  /** Drops tokens that are of no more use, unless others have taken their place. */
  async #forget(spent: Tokens | undefined): Promise<null> {
    await this.#state.update(({ tokens, ...rest }) =>
      tokens === undefined || tokens.refreshToken === spent?.refreshToken ? rest : { ...rest, tokens },
    );
    return null;
  }

  async #signInSoon(): Promise<AccessAnswer> {
    const started = this.#signIn.start().then(
      (start): AccessAnswer =>
        start.outcome === "prompt"
          ? { outcome: "sign-in", prompt: start.prompt }
          : { ...start, outcome: "unavailable" },
      (error): AccessAnswer => ({ outcome: "unavailable", sentence: `Signing in failed: ${(error as Error).message}` }),
    );
    const late = new Promise<AccessAnswer>((done) =>
      setTimeout(
        () =>
          done({
            outcome: "unavailable",
            sentence: "A sign-in is being prepared, and the Worker is slow. Make the same call again in a few seconds.",
          }),
        this.#firstAnswerMs,
      ).unref(),
    );
    return await Promise.race([started, late]);
  }

  #watchFile(): void {
    this.#watch ??= setInterval(async () => {
      const { tokens } = await this.#state.read().catch(() => ({}) as BridgeState);
      if (!tokens || this.#watch === null || tokens.accessToken === this.#rejected) return;
      this.#stopWatching();
      for (const listener of this.#listeners) listener();
    }, WATCH_INTERVAL_MS);
    this.#watch.unref();
  }

  #stopWatching(): void {
    if (this.#watch !== null) clearInterval(this.#watch);
    this.#watch = null;
  }
}

const notSignedIn: AccessAnswer = {
  outcome: "unavailable",
  sentence:
    'Nobody has signed in on this machine yet. Call any tool, or run "npx github-webhook-mcp login", and open the page that it names.',
};
