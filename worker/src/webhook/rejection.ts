/**
 * Why a delivery is turned away, and what that is in HTTP. Statuses and texts are a contract: operators see them on
 * GitHub's "Recent deliveries" page, and the existing service's users know them.
 */

/** The most that GitHub sends: https://docs.github.com/en/webhooks/webhook-events-and-payloads#payload-cap */
export const MAX_BODY_BYTES = 25 * 1024 * 1024;

export type Rejection =
  | { kind: "method" }
  | { kind: "too-large" }
  | { kind: "address" }
  | { kind: "rate" }
  | { kind: "signature" }
  /** `reason` says what is wrong with the body, in words of ours. */
  | { kind: "body"; reason: string }
  | { kind: "event-name" }
  | { kind: "unknown-installation"; installationId: number | null }
  | { kind: "quota"; retryAfterSeconds: number }
  /** The registry or the store could not be reached, or failed. */
  | { kind: "unavailable" };

/** The HTTP answer to a rejected delivery. */
export function rejectionResponse(rejection: Rejection): Response {
  switch (rejection.kind) {
    case "method":
      return text(405, "Method Not Allowed", { Allow: "POST" });
    case "too-large":
      return text(413, `Payload Too Large: the limit is ${MAX_BODY_BYTES} bytes`);
    case "address":
      return text(403, "Forbidden");
    case "rate":
      return text(429, "Too Many Requests", { "Retry-After": "60" });
    case "signature":
      return text(403, "Invalid signature");
    case "body":
      return text(400, `Invalid JSON payload: ${rejection.reason}`);
    case "event-name":
      return text(400, "Missing or malformed X-GitHub-Event header");
    case "unknown-installation":
      return Response.json(
        { error: "unknown installation", installation_id: rejection.installationId },
        { status: 404 },
      );
    case "quota":
      return Response.json(
        { error: "tenant quota exceeded" },
        { status: 429, headers: { "Retry-After": String(rejection.retryAfterSeconds) } },
      );
    case "unavailable":
      return Response.json(
        { error: "the event could not be stored; redeliver it later" },
        { status: 503, headers: { "Retry-After": "30" } },
      );
  }
}

function text(status: number, body: string, headers: HeadersInit = {}): Response {
  return new Response(body, { status, headers });
}
