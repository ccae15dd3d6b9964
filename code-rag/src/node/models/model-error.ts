import { withoutCredentials } from "../git/run-git.ts";

/** A model did not answer. `final`: asking again, or about something else, would end the same way. */
export class ModelError extends Error {
  readonly final: boolean;
  constructor(message: string, final: boolean, options?: ErrorOptions) {
    super(message, options);
    this.final = final;
  }
}

/** What a client library threw, as one line without anything secret in it. */
export function toModelError(provider: string, error: unknown): ModelError {
  const status =
    (error as { status?: number; status_code?: number }).status ?? (error as { status_code?: number }).status_code;
  const final = status !== undefined && [400, 401, 403, 404].includes(status);
  const hint = hintFor(status) ?? shortMessage(error);
  return new ModelError(`${provider}: ${hint}`, final, { cause: error });
}

function hintFor(status: number | undefined): string | undefined {
  switch (status) {
    case 401:
    case 403:
      return `the key was refused (HTTP ${status})`;
    case 404:
      return "no such model or address (HTTP 404)";
    case 429:
      return "too many requests (HTTP 429); try again later";
    case 529:
      return "overloaded (HTTP 529); try again later";
    default:
      return undefined;
  }
}

function shortMessage(error: unknown): string {
  const cause = (error as { cause?: { code?: string } }).cause?.code;
  const message = error instanceof Error ? error.message : String(error);
  const line = (message.split("\n")[0] ?? "").slice(0, 200);
  return withoutCredentials(cause ? `${line} (${cause})` : line);
}
