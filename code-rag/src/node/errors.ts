export type ErrorCode =
  | "usage"
  | "not_found"
  | "no_index"
  | "bad_url"
  | "clone_failed"
  | "locked"
  | "no_model"
  | "bad_config";

/** An error whose message is one line for its reader, and says what to do. */
export class CodeRagError extends Error {
  readonly code: ErrorCode;
  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
