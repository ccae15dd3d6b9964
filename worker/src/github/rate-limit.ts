/** Longest wait that is believed of a header: GitHub's primary limit is counted by the hour. */
const LONGEST_WAIT_SECONDS = 3_600;
/** GitHub's advice where a secondary limit names no time. */
const SECONDARY_WAIT_SECONDS = 60;

/**
 * Whether an answer says that a limit is spent, and when to come back; null if it is about something else.
 *
 * https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api#exceeding-the-rate-limit
 *
 * @param headers in lower case
 * @param data the body: JSON where it was JSON, else text
 * @param now milliseconds since the epoch
 */
export function rateLimit(
  status: number,
  headers: Readonly<Record<string, string | number | undefined>>,
  data: unknown,
  now: number,
): { retryAfterSeconds: number } | null {
  if (status !== 403 && status !== 429) return null;
  const after = seconds(headers["retry-after"]);
  if (after !== null) return { retryAfterSeconds: bounded(after) };
  const reset = seconds(headers["x-ratelimit-reset"]);
  if (headers["x-ratelimit-remaining"] === "0" && reset !== null) {
    return { retryAfterSeconds: bounded(reset - Math.floor(now / 1_000)) };
  }
  if (status === 429 || /rate limit|abuse detection/i.test(messageOf(data))) {
    return { retryAfterSeconds: SECONDARY_WAIT_SECONDS };
  }
  return null;
}

function seconds(header: string | number | undefined): number | null {
  return header !== undefined && /^\d{1,15}$/.test(String(header)) ? Number(header) : null;
}

function bounded(wait: number): number {
  return Math.min(Math.max(wait, 1), LONGEST_WAIT_SECONDS);
}

function messageOf(data: unknown): string {
  return typeof data === "object" && data !== null && "message" in data ? String(data.message) : "";
}
