/** A JSON-RPC error as the client is to get it; the SDK's own puts a prefix before the message. */
export class RpcError extends Error {
  override readonly name = "RpcError";
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
/** The bridge has no answer to pass on. */
export const NO_ANSWER = -32000;
/** MCP 2025-11-25, Elicitation, "URL Elicitation Required Error". */
export const URL_ELICITATION_REQUIRED = -32042;
