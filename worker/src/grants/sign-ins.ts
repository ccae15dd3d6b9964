/**
 * Sign-ins under way in one shard: from the consent page to a code, an approved poll flow or a session.
 *
 * A visit to the consent page is a transaction. It belongs to one browser (a cookie of its own), and its secret is
 * also the `state` that GitHub is given: who comes back from GitHub without the cookie is another browser, and nothing
 * happens. A transaction ends once; whoever submits it again is told the same again.
 */
import type { AccessChange, GitHubPort } from "../ports.ts";
import { effectOf } from "./access-change.ts";
import {
  type Approval,
  LIFETIMES,
  type PollRecord,
  pollTimes,
  type Records,
  type Target,
  type TransactionRecord,
} from "./records.ts";
import { hashOf, isSecretOf, mintSecret, seal, unseal } from "./secrets.ts";

/** A visit to the consent page. */
export interface NewTransaction {
  transaction: string;
  cookie: string;
  clientId: string;
  clientName: string;
  target:
    | { type: "code"; redirectUri: string; challenge: string }
    | { type: "poll"; state: string; challenge: string }
    | { type: "grants" };
  scopes: string[];
  resource: string | null;
  clientState: string | null;
}

export type BeginResult =
  /** `polledFrom`: where a poll flow was polled from first, if it was. */
  | { outcome: "ok"; polledFrom: string | null }
  /** The state is another client's, or belongs to another verifier. */
  | { outcome: "taken" }
  /** The state was approved, denied or redeemed before. */
  | { outcome: "over" };

/** Why a sign-in failed; the error codes of RFC 6749 §4.1.2.1. */
export interface Failure {
  error: "access_denied" | "temporarily_unavailable" | "server_error";
  description: string;
}

/** How a transaction ended. */
export type Outcome =
  | { to: "client"; redirectUri: string; state: string | null; code: string }
  | { to: "client"; redirectUri: string; state: string | null; failure: Failure }
  /** `login` null: local mode's one viewer. */
  | { to: "page"; login: string | null; clientName: string }
  | { to: "page"; failure: Failure }
  | { to: "grants"; session: string }
  | { to: "grants"; failure: Failure };

/** Why a transaction does not go on. It stays as it was. */
export type TransactionRefusal = { outcome: "unknown" | "other-browser" | "not-approved" };

export type ConsentResult = TransactionRefusal | { outcome: "github" } | { outcome: "done"; result: Outcome };
export type CallbackResult = TransactionRefusal | { outcome: "done"; result: Outcome };

/** Local mode's one viewer. */
const LOCAL_APPROVAL: Omit<Approval, "accessReadAt"> = {
  userId: 0,
  login: "local",
  local: true,
  accessStale: false,
  access: [],
  github: null,
};

const DENIED: Failure = { error: "access_denied", description: "The sign-in was cancelled." };

type SignIn = { ok: true; approval: Approval; token: string | null } | { ok: false; failure: Failure };

export class SignIns {
  readonly #records: Records;
  readonly #shard: number;
  readonly #github: () => GitHubPort;
  /** How many changes of access were told: what is read while one is told may be out of date. */
  #changes = 0;
  readonly #callbacks = new Map<string, Promise<CallbackResult>>();

  constructor(records: Records, shard: number, github: () => GitHubPort) {
    this.#records = records;
    this.#shard = shard;
    this.#github = github;
  }

  begin(request: NewTransaction, now: number): BeginResult {
    let target: Target;
    let state = request.clientState;
    let polledFrom: string | null = null;
    if (request.target.type === "poll") {
      const key = hashOf(request.target.state);
      const known = this.#records.states.get(key, now);
      if (known !== undefined) {
        if (known.kind !== "poll" || known.clientId !== request.clientId) return { outcome: "taken" };
        if (known.challenge !== request.target.challenge) return { outcome: "taken" };
        if (known.status !== "pending" || known.deadline <= now) return { outcome: "over" };
        polledFrom = known.polledFrom;
      }
      this.#records.states.put(key, newPoll(request, request.target.challenge, polledFrom, now));
      target = { type: "poll", key };
      // What the approval will be sealed with: only who polls has it.
      state = request.target.state;
    } else {
      target = request.target;
    }
    this.#records.states.put(hashOf(request.transaction), {
      kind: "transaction",
      clientId: request.clientId,
      clientName: request.clientName,
      target,
      scopes: request.scopes,
      resource: request.resource,
      clientState: state && seal(request.transaction, "client-state", state),
      cookie: hashOf(request.cookie),
      // The page of grants needs no consent: nothing is given to anyone.
      status: request.target.type === "grants" ? "approved" : "consent",
      outcome: null,
      expiresAt: now + LIFETIMES.state,
    });
    return { outcome: "ok", polledFrom };
  }

  /** The answer of the consent page. `local`: local mode's page, which is the whole sign-in. */
  consent(transaction: string, cookie: string, approved: boolean, local: boolean, now: number): ConsentResult {
    const found = this.#find(transaction, cookie, now);
    if ("outcome" in found) return found;
    const { record } = found;
    if (record.status === "finished") return { outcome: "done", result: readOutcome(record, cookie) };
    if (!approved) return this.#finish(transaction, cookie, { ok: false, failure: DENIED }, now);
    if (local) {
      const approval = { ...LOCAL_APPROVAL, accessReadAt: now };
      return this.#finish(transaction, cookie, { ok: true, approval, token: null }, now);
    }
    this.#records.states.put(hashOf(transaction), { ...record, status: "approved" });
    return { outcome: "github" };
  }

  /** The way back from GitHub: with a code, or with the word that there is none. Twice at once is once. */
  async callback(
    transaction: string,
    cookie: string,
    code: string | null,
    redirectUri: string,
  ): Promise<CallbackResult> {
    const found = this.#find(transaction, cookie, Date.now());
    if ("outcome" in found) return found;
    const { record } = found;
    if (record.status === "finished") return { outcome: "done", result: readOutcome(record, cookie) };
    if (record.status !== "approved") return { outcome: "not-approved" };
    const key = hashOf(transaction);
    const running = this.#callbacks.get(key);
    if (running) return running;
    const callback = this.#signIn(code, redirectUri)
      .then((signIn) => this.#finish(transaction, cookie, signIn, Date.now()))
      .finally(() => this.#callbacks.delete(key));
    this.#callbacks.set(key, callback);
    return callback;
  }

  async #signIn(code: string | null, redirectUri: string): Promise<SignIn> {
    if (code === null) return failed("access_denied", "The sign-in at GitHub was cancelled.");
    const github = this.#github();
    const exchanged = await github.exchangeCode(code, redirectUri);
    if (exchanged.outcome === "refused") return failed("access_denied", "GitHub did not accept its own code.");
    if (exchanged.outcome === "unavailable") return failed("temporarily_unavailable", UNAVAILABLE);
    const before = this.#changes;
    const access = await github.access(exchanged.value.accessToken);
    if (access.outcome === "refused") return failed("access_denied", "GitHub refused the access that it had given.");
    if (access.outcome === "unavailable") return failed("temporarily_unavailable", UNAVAILABLE);
    const { userId, login, accounts } = access.value;
    const read = { access: accounts, accessReadAt: Date.now(), accessStale: this.#changes !== before };
    const approval = { userId, login, local: false, ...read, github: null };
    return { ok: true, approval, token: JSON.stringify(exchanged.value) };
  }

  #find(transaction: string, cookie: string, now: number): TransactionRefusal | { record: TransactionRecord } {
    const record = this.#records.state("transaction", hashOf(transaction), now);
    if (!record) return { outcome: "unknown" };
    return isSecretOf(record.cookie, cookie) ? { record } : { outcome: "other-browser" };
  }

  /** Ends a transaction: hands the approval over to what it was for, and keeps what the browser is told. */
  #finish(transaction: string, cookie: string, signIn: SignIn, now: number): CallbackResult & ConsentResult {
    const hash = hashOf(transaction);
    const record = this.#records.state("transaction", hash, now);
    if (!record) return { outcome: "unknown" };
    if (record.status === "finished") return { outcome: "done", result: readOutcome(record, cookie) };
    const state = record.clientState && unseal(transaction, "client-state", record.clientState);
    const result = this.#handOver(record, state, signIn, now);
    const outcome = seal(cookie, "outcome", JSON.stringify(result));
    this.#records.states.put(hash, { ...record, status: "finished", outcome, clientState: null });
    return { outcome: "done", result };
  }

  #handOver(record: TransactionRecord, state: string | null, signIn: SignIn, now: number): Outcome {
    const { target } = record;
    switch (target.type) {
      case "code": {
        const { redirectUri, challenge } = target;
        if (!signIn.ok) return { to: "client", redirectUri, state, failure: signIn.failure };
        const { clientId, clientName, scopes, resource } = record;
        const code = mintSecret("code", this.#shard);
        const approval = sealed(signIn, code);
        const expiresAt = now + LIFETIMES.code;
        const grant = { clientId, clientName, scopes, resource };
        this.#records.states.put(hashOf(code), {
          kind: "code",
          ...grant,
          redirectUri,
          challenge,
          approval,
          spentOn: null,
          expiresAt,
        });
        return { to: "client", redirectUri, state, code };
      }
      case "poll": {
        const poll = this.#records.state("poll", target.key, now);
        if (poll?.status !== "pending" || poll.deadline <= now || state === null) return { to: "page", failure: OVER };
        const times = pollTimes(now);
        if (!signIn.ok) {
          const reason = signIn.failure.description;
          this.#records.states.put(target.key, { ...poll, status: "denied", reason, ...times });
          return { to: "page", failure: signIn.failure };
        }
        const { scopes, resource } = record;
        const approval = sealed(signIn, state);
        this.#records.states.put(target.key, { ...poll, status: "approved", approval, scopes, resource, ...times });
        const { local, login } = signIn.approval;
        return { to: "page", login: local ? null : login, clientName: record.clientName };
      }
      case "grants": {
        if (!signIn.ok) return { to: "grants", failure: signIn.failure };
        return { to: "grants", session: this.openSession(signIn.approval, now) };
      }
      default:
        return target satisfies never;
    }
  }

  /** A change at GitHub: approvals that wait to be redeemed lose what it names, as grants do. */
  apply(change: AccessChange, now: number): void {
    this.#changes++;
    for (const [hash, record] of [...this.#records.states.all(now)]) {
      if ((record.kind !== "code" && record.kind !== "poll") || record.approval === null) continue;
      const effect = effectOf(change, record.approval);
      if (effect.kind === "end") this.#records.states.put(hash, { ...record, approval: null });
      if (effect.kind !== "reduce") continue;
      const approval = { ...record.approval, access: effect.access, accessStale: true };
      this.#records.states.put(hash, { ...record, approval });
    }
  }

  /** A browser in which this user may look at their grants. */
  openSession({ userId, login }: { userId: number; login: string }, now: number): string {
    const session = mintSecret("session", this.#shard);
    this.#records.states.put(hashOf(session), { kind: "session", userId, login, expiresAt: now + LIFETIMES.session });
    return session;
  }
}

const UNAVAILABLE = "GitHub gave no usable answer. Try again in a few minutes.";
const OVER: Failure = { error: "access_denied", description: "This sign-in was finished, or it took too long." };

function failed(error: Failure["error"], description: string): SignIn {
  return { ok: false, failure: { error, description } };
}

function sealed(signIn: Extract<SignIn, { ok: true }>, secret: string): Approval {
  return { ...signIn.approval, github: signIn.token && seal(secret, "github-token", signIn.token) };
}

function readOutcome(record: TransactionRecord, cookie: string): Outcome {
  return JSON.parse(unseal(cookie, "outcome", record.outcome as string)) as Outcome;
}

function newPoll(request: NewTransaction, challenge: string, polledFrom: string | null, now: number): PollRecord {
  const { clientId, clientName, scopes, resource } = request;
  return {
    kind: "poll",
    clientId,
    clientName,
    challenge,
    polledFrom,
    scopes,
    resource,
    status: "pending",
    approval: null,
    reason: null,
    ...pollTimes(now),
  };
}
