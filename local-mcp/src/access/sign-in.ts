/**
 * One sign-in for the whole machine. It stands in the state file, so that whichever process is left goes on with it: a
 * host may kill the copy that opened the browser. One process polls; the others look into the file.
 */
import { hostname } from "node:os";
import { warn } from "../log.ts";
import type { BridgeState, SignInPrompt, StateFile } from "../ports.ts";
import type { OAuthClient, TokenAnswer } from "./oauth-client.ts";
import { newSignIn, shortCode } from "./pkce.ts";

type Pending = NonNullable<BridgeState["pendingSignIn"]>;

/** How long the Worker keeps a sign-in under way. */
const LIFETIME_MS = 600_000;
/** RFC 8628 §3.2: five seconds unless told otherwise; `slow_down` adds five. */
const POLL_INTERVAL_MS = 5_000;
const SLOW_DOWN_MS = 5_000;
/** How often a process that does not poll looks into the state file. */
const WATCH_INTERVAL_MS = 1_000;

export interface SignInDeps {
  oauth: OAuthClient;
  state: StateFile;
  openBrowser(url: string): void;
  now(): number;
  pollIntervalMs?: number;
}

export type SignInStart = { outcome: "prompt"; prompt: SignInPrompt } | { outcome: "unavailable"; sentence: string };

export class SignIn {
  readonly #deps: SignInDeps;
  #beginning: Promise<Pending | { sentence: string }> | null = null;
  #following: Promise<void> | null = null;
  #closed = false;

  constructor(deps: SignInDeps) {
    this.#deps = deps;
  }

  /** The sign-in that is under way on this machine; a new one, and the browser, if there is none. */
  async start(): Promise<SignInStart> {
    const { state } = this.#deps;
    // Most calls find one: no lock, no wait.
    const current = (await state.read()).pendingSignIn;
    if (!this.#isOpen(current)) {
      // Once for all who call at the same time, also where no lock can be had.
      this.#beginning ??= state
        .exclusive("sign-in", () => this.#begin())
        .finally(() => {
          this.#beginning = null;
        });
    }
    const started = this.#isOpen(current) ? current : await this.#beginning!;
    if ("sentence" in started) return { outcome: "unavailable", sentence: started.sentence };
    this.#goOn();
    const { url, code, expiresAt } = started;
    return { outcome: "prompt", prompt: { url, code, expiresAt } };
  }

  /** Goes on with a sign-in that another process has begun, which may be gone by now. */
  async resume(): Promise<void> {
    if (this.#isOpen((await this.#deps.state.read()).pendingSignIn)) this.#goOn();
  }

  close(): void {
    this.#closed = true;
  }

  #goOn(): void {
    this.#following ??= this.#follow().finally(() => {
      this.#following = null;
    });
  }

  #isOpen(pending: Pending | undefined): pending is Pending {
    return pending !== undefined && this.#deps.now() < pending.expiresAt;
  }

  async #begin(): Promise<Pending | { sentence: string }> {
    const { state, oauth, now, openBrowser } = this.#deps;
    const { pendingSignIn, client } = await state.read();
    if (this.#isOpen(pendingSignIn)) return pendingSignIn;
    const secrets = newSignIn();
    let clientId = client?.clientId;
    if (clientId !== undefined) {
      // A first poll, before anybody is sent to a page: it could be out of reach, or the client forgotten there.
      const asked = await oauth.poll(clientId, secrets.state, secrets.codeVerifier);
      if (asked.outcome === "unavailable") return { sentence: asked.sentence };
      if (asked.outcome === "refused" && asked.error === "invalid_client") clientId = undefined;
    }
    if (clientId === undefined) {
      const registered = await oauth.register(`GitHub webhook bridge on ${hostname()}`);
      if (registered.outcome === "refused") {
        return {
          sentence: `The Worker does not register this program (${registered.error}). ${registered.description}`,
        };
      }
      if (registered.outcome === "unavailable") return { sentence: registered.sentence };
      clientId = registered.value;
    }
    const pending: Pending = {
      state: secrets.state,
      codeVerifier: secrets.codeVerifier,
      url: oauth.authorizeUrl(clientId, secrets.state, secrets.codeChallenge),
      code: shortCode(secrets),
      startedAt: now(),
      expiresAt: now() + LIFETIME_MS,
    };
    const kept = { clientId };
    await state.update((before) => ({ ...before, client: kept, pendingSignIn: pending }));
    openBrowser(pending.url);
    return pending;
  }

  /** Until there are tokens or the sign-in is over, whoever brings that about. */
  async #follow(): Promise<void> {
    const { state } = this.#deps;
    while (!this.#closed) {
      const { pendingSignIn } = await state.read();
      if (pendingSignIn === undefined) return;
      if (!this.#isOpen(pendingSignIn)) return await this.#end(pendingSignIn, "it was not finished within ten minutes");
      const polled = await state.tryExclusive("poll", () => this.#poll(pendingSignIn));
      if (polled === null) await this.#wait(WATCH_INTERVAL_MS);
    }
  }

  async #poll(pending: Pending): Promise<void> {
    const { oauth, state, now } = this.#deps;
    let interval = this.#deps.pollIntervalMs ?? POLL_INTERVAL_MS;
    while (!this.#closed && this.#isOpen(pending)) {
      const { client, pendingSignIn } = await state.read();
      // Another process has ended it, or begun a new one.
      if (pendingSignIn?.state !== pending.state) return;
      if (client === undefined) return await this.#end(pending, "this program's registration is not known any more");
      const answer = await oauth.poll(client.clientId, pending.state, pending.codeVerifier);
      if (answer.outcome === "ok") return await this.#finish(answer.value);
      if (answer.outcome === "refused") {
        switch (answer.error) {
          case "authorization_pending":
            break;
          case "slow_down":
            interval += SLOW_DOWN_MS;
            break;
          case "access_denied":
            return await this.#end(pending, "it was denied");
          case "invalid_client":
            await state.update(({ client: _, ...rest }) => rest);
            return await this.#end(pending, "the Worker does not know this program any more");
          default:
            return await this.#end(pending, answer.description || answer.error);
        }
      }
      // Whatever else goes wrong on the way is no answer to the question.
      const asked = answer.outcome === "unavailable" ? (answer.retryAfterSeconds ?? 0) * 1_000 : 0;
      await this.#wait(Math.min(Math.max(interval, asked), Math.max(0, pending.expiresAt - now())));
    }
  }

  async #finish(answer: TokenAnswer): Promise<void> {
    const receivedAt = this.#deps.now();
    await this.#deps.state.update(({ pendingSignIn: _, ...rest }) => ({
      ...rest,
      tokens: {
        accessToken: answer.accessToken,
        refreshToken: answer.refreshToken,
        receivedAt,
        expiresInSeconds: answer.expiresInSeconds,
      },
    }));
  }

  async #end({ state }: Pending, reason: string): Promise<void> {
    warn(`The sign-in has ended: ${reason}. The next call of a tool starts a new one.`);
    await this.#deps.state.update(({ pendingSignIn, ...rest }) =>
      pendingSignIn?.state === state || pendingSignIn === undefined ? rest : { ...rest, pendingSignIn },
    );
  }

  async #wait(ms: number): Promise<void> {
    await new Promise((done) => setTimeout(done, ms).unref());
  }
}
