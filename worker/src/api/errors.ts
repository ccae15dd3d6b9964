/** What a REST route answers when it does not answer: `{error, message}` with a status. */
import { InboxError } from "../inbox/errors.ts";
import { errorText, log } from "../log.ts";

export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  /** Stable, for programs; the message is for people. */
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, code: string, message: string, headers: Record<string, string> = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

/** Whatever was thrown, as a response. What we did not foresee goes to the log, not to the client. */
export function errorResponse(error: unknown): Response {
  const { status, code, message, headers } = toApiError(error);
  return Response.json({ error: code, message }, { status, headers: { "Cache-Control": "no-store", ...headers } });
}

function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof InboxError) {
    switch (error.code) {
      case "invalid":
        return new ApiError(400, "invalid_request", error.message);
      case "not_found":
        return new ApiError(404, "not_found", error.message);
      case "unavailable":
        return new ApiError(503, "unavailable", error.message, { "Retry-After": "60" });
    }
  }
  log("error", "api_failed", { error: errorText(error) });
  return new ApiError(500, "internal_error", "Something failed on the server: try again in a minute.");
}
