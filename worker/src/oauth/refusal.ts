/** Why an OAuth endpoint that programs call says no, and the one place that turns it into an answer. */

export type Refusal =
  | { kind: "method"; allow: string }
  | { kind: "rate" }
  | { kind: "too-large"; limit: number }
  | { kind: "content-type"; wanted: string }
  | { kind: "repeated-parameter" }
  | { kind: "missing-parameter"; name: string }
  | { kind: "malformed-verifier" }
  | { kind: "unknown-client"; basic: boolean }
  | { kind: "unauthorized-client" }
  | { kind: "unsupported-grant-type" }
  | { kind: "invalid-grant"; description: string }
  | { kind: "invalid-scope" }
  | { kind: "invalid-target" }
  | { kind: "authorization-pending" }
  | { kind: "slow-down" }
  | { kind: "expired-token" }
  | { kind: "access-denied"; description: string }
  | { kind: "unavailable"; retryAfterSeconds: number; description: string }
  | { kind: "redirect-uri"; description: string }
  | { kind: "client-metadata"; description: string };

/** RFC 6749 §5.2, RFC 7591 §3.2.2, RFC 8628 §3.5, RFC 8707 §2. */
export function refusalResponse(refusal: Refusal): Response {
  switch (refusal.kind) {
    case "method":
      return answer(405, "invalid_request", `This endpoint takes ${refusal.allow}.`, { Allow: refusal.allow });
    case "rate":
      return answer(429, "rate_limited", "Too many requests from this address. Wait a minute.", {
        "Retry-After": "60",
      });
    case "too-large":
      return answer(413, "invalid_request", `The body is larger than ${refusal.limit} bytes.`);
    case "content-type":
      return answer(400, "invalid_request", `Send the parameters as ${refusal.wanted}.`);
    case "repeated-parameter":
      return answer(400, "invalid_request", "A parameter came more than once.");
    case "missing-parameter":
      return answer(400, "invalid_request", `The parameter ${refusal.name} is missing.`);
    case "malformed-verifier":
      return answer(400, "invalid_request", "code_verifier must be 43 to 128 unreserved characters (RFC 7636).");
    case "unknown-client": {
      const headers = refusal.basic ? { "WWW-Authenticate": 'Basic realm="github-webhook-mcp"' } : undefined;
      return answer(401, "invalid_client", "This client is not known (any more). Register it again.", headers);
    }
    case "unauthorized-client":
      return answer(400, "unauthorized_client", "This client is not registered for this grant type.");
    case "unsupported-grant-type":
      return answer(400, "unsupported_grant_type", "The metadata document lists the grant types there are.");
    case "invalid-grant":
      return answer(400, "invalid_grant", refusal.description);
    case "invalid-scope":
      return answer(400, "invalid_scope", "More scopes were asked for than were granted. Sign in again for more.");
    case "invalid-target":
      return answer(400, "invalid_target", "That resource is not served here. Name this server, or none.");
    case "authorization-pending":
      return answer(400, "authorization_pending", "Nobody has approved yet. Ask again in 5 seconds.");
    case "slow-down":
      return answer(400, "slow_down", "Wait 5 seconds longer between polls.");
    case "expired-token":
      return answer(400, "expired_token", "This sign-in is over. Start another one.");
    case "access-denied":
      return answer(400, "access_denied", refusal.description);
    case "unavailable":
      return answer(503, "temporarily_unavailable", refusal.description, {
        "Retry-After": String(refusal.retryAfterSeconds),
      });
    case "redirect-uri":
      return answer(400, "invalid_redirect_uri", refusal.description);
    case "client-metadata":
      return answer(400, "invalid_client_metadata", refusal.description);
    default:
      return refusal satisfies never;
  }
}

function answer(status: number, error: string, description: string, headers?: Record<string, string>): Response {
  return Response.json(
    // RFC 6749 §5.2: printable ASCII without quotes and backslashes.
    { error, error_description: description.replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, "'") },
    { status, headers: { "Cache-Control": "no-store", Pragma: "no-cache", ...headers } },
  );
}
