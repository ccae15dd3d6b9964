/** What an inbox answers instead of a result. The message is written for whoever asked, a model included. */
export class InboxError extends Error {
  override readonly name = "InboxError";
  /** `invalid`: ask differently. `not_found`: no such event for this viewer. `unavailable`: ask again later. */
  readonly code: "invalid" | "not_found" | "unavailable";

  constructor(code: InboxError["code"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
