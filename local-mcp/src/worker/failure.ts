/** Why the Worker gave no answer that can be used, and the sentence that says what to do about it. */

export type WorkerFailure =
  /** `sentence` is the network's own, for a person. */
  | { kind: "network"; sentence: string }
  | { kind: "timeout"; seconds: number }
  /** The answer's stream ended before the answer. */
  | { kind: "cut" }
  | { kind: "unauthorized" }
  | { kind: "scope"; scope: string }
  | { kind: "limited"; retryAfterSeconds: number | null }
  | { kind: "status"; status: number }
  | { kind: "redirect"; target: string }
  | { kind: "web-page" }
  /** The session is not known any more, or was closed under the request. */
  | { kind: "session-lost" }
  | { kind: "unreadable"; reason: string };

/** Carries a failure through the SDK. */
export class FailedExchange extends Error {
  override readonly name = "FailedExchange";
  readonly failure: WorkerFailure;

  constructor(failure: WorkerFailure) {
    super(failure.kind);
    this.failure = failure;
  }
}

const DOCTOR = 'If it goes on, "npx github-webhook-mcp doctor" says more.';
/** An error must never read like an all-clear. */
const NOT_AN_ALL_CLEAR = "This says nothing about your events.";

/** What went wrong and what to do, for a person or a model. `worker` is the Worker's origin. */
export function sentenceOf(failure: WorkerFailure, worker: string): string {
  return `${cause(failure, worker)} ${NOT_AN_ALL_CLEAR}`;
}

function cause(failure: WorkerFailure, worker: string): string {
  switch (failure.kind) {
    case "network":
      return `${failure.sentence} ${DOCTOR}`;
    case "timeout":
      return `The Worker at ${worker} gave no answer within ${failure.seconds} seconds. Try again in a minute. ${DOCTOR}`;
    case "cut":
      return `The connection to the Worker at ${worker} broke before the answer came. Try again.`;
    case "unauthorized":
      return `The Worker at ${worker} refuses a sign-in that it gave a moment ago. Run "npx github-webhook-mcp logout", then "npx github-webhook-mcp login".`;
    case "scope":
      return `The sign-in does not allow this: it needs ${failure.scope}. Run "npx github-webhook-mcp logout", then "npx github-webhook-mcp login", and allow it there.`;
    case "limited":
      return `The Worker at ${worker} takes no more requests for now (HTTP 429). Try again in ${delay(failure.retryAfterSeconds)}.`;
    case "status":
      return statusCause(failure.status, worker);
    case "redirect":
      return `The Worker at ${worker} redirects to ${failure.target}. If that is your Worker, set WEBHOOK_WORKER_URL to its address.`;
    case "web-page":
      return `${worker} answered with a web page instead of MCP. Check that WEBHOOK_WORKER_URL is the address of your Worker, and that no sign-in page stands in front of it.`;
    case "session-lost":
      return `The Worker at ${worker} ended the session, twice. Try again in a minute. ${DOCTOR}`;
    case "unreadable":
      return `The Worker at ${worker} gave an answer that can't be read (${failure.reason}). Check WEBHOOK_WORKER_URL, and update github-webhook-mcp if it is older than the Worker. ${DOCTOR}`;
  }
}

function statusCause(status: number, worker: string): string {
  if (status === 404)
    return `There is no MCP endpoint at ${worker}/mcp (HTTP 404). Check that WEBHOOK_WORKER_URL is the address of your Worker.`;
  if (status >= 500) return `The Worker at ${worker} failed (HTTP ${status}). Try again in a minute. ${DOCTOR}`;
  return `The Worker at ${worker} refuses the request (HTTP ${status}). ${DOCTOR}`;
}

function delay(seconds: number | null): string {
  if (seconds === null) return "a minute";
  return seconds === 1 ? "1 second" : `${seconds} seconds`;
}
