/** Why a connection failed, as a sentence that says what to do. */

/** A request or a socket that came to nothing. `message` is for a person and names no token. */
export class NetworkError extends Error {
  override readonly name = "NetworkError";
  /** The HTTP status with which a WebSocket was refused; null where there was no answer. */
  readonly status: number | null;

  constructor(message: string, status: number | null = null) {
    super(message);
    this.status = status;
  }
}

/** Codes of OpenSSL for a certificate whose issuer is not trusted here. */
const UNTRUSTED = new Set([
  "SELF_SIGNED_CERT_IN_CHAIN",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

/**
 * The sentence for what a connection to `origin` failed with.
 * @param seconds how long an answer was waited for, if it was given up
 */
export function sentenceOf(error: unknown, origin: string, seconds?: number): string {
  const host = new URL(origin).host;
  if (seconds !== undefined) return `${host} gave no answer within ${seconds} seconds.`;
  const { code, message } = causeOf(error);
  switch (code) {
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `The name ${host} can't be resolved (${code}). Check WEBHOOK_WORKER_URL and the network.`;
    case "ECONNREFUSED":
      return `Nothing answers at ${host} (connection refused). Check WEBHOOK_WORKER_URL, and that the Worker is running.`;
    case "ETIMEDOUT":
    case "UND_ERR_CONNECT_TIMEOUT":
      return `${host} can't be reached (timed out). Check the network, or a firewall on the way.`;
    case "EHOSTUNREACH":
    case "ENETUNREACH":
      return `${host} can't be reached (${code}). Check the network.`;
    case "CERT_HAS_EXPIRED":
    case "CERT_NOT_YET_VALID":
      return `The certificate of ${host} is not valid at this time (${code}). Check this machine's clock.`;
    case "ERR_TLS_CERT_ALTNAME_INVALID":
      return `The certificate at ${host} is for another name. Check WEBHOOK_WORKER_URL.`;
  }
  if (UNTRUSTED.has(code)) {
    return `The certificate at ${host} is not trusted here (${code}). Where a proxy inspects TLS, set NODE_EXTRA_CA_CERTS to the file of its certificate authority.`;
  }
  if (/Proxy response \((\d+)\)/.test(message)) {
    const status = /Proxy response \((\d+)\)/.exec(message)?.[1];
    return `The proxy refuses to connect to ${host} (HTTP ${status}). Check HTTPS_PROXY and NO_PROXY.`;
  }
  return `The connection to ${host} failed${code === "" ? "" : ` (${code})`}. Check the network.`;
}

/** Codes of a connection that was closed under a request. */
const CUT = new Set(["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"]);

/** Whether the other side had closed the connection: with a pooled one this may only show at the next request. */
export function wasCut(error: unknown): boolean {
  return CUT.has(causeOf(error).code);
}

/** The innermost error that carries a code: fetch and Node's address race (`AggregateError`) wrap it. */
function causeOf(error: unknown): { code: string; message: string } {
  for (let depth = 0, current = error; depth < 6 && current instanceof Error; depth++) {
    const { code, cause, errors } = current as Error & { code?: unknown; errors?: unknown[] };
    if (typeof code === "string" && !(cause instanceof Error)) return { code, message: current.message };
    if (errors?.[0] instanceof Error) current = errors[0];
    else if (cause instanceof Error) current = cause;
    else return { code: "", message: current.message };
  }
  return { code: "", message: String(error) };
}
