import { describe, expect, it } from "vitest";
import { rateLimit } from "./rate-limit.ts";

const NOW = 1_700_000_000_000;

describe("a spent limit", () => {
  it("says when to come back: Retry-After first, then the reset of the hour", () => {
    const spent = { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(NOW / 1_000 + 90) };
    expect(rateLimit(403, { ...spent, "retry-after": "30" }, "", NOW)).toEqual({ retryAfterSeconds: 30 });
    expect(rateLimit(403, spent, "", NOW)).toEqual({ retryAfterSeconds: 90 });
    expect(rateLimit(429, spent, "", NOW)).toEqual({ retryAfterSeconds: 90 });
  });

  it("is known by its words where no header tells, and waits a minute", () => {
    const message = "You have exceeded a secondary rate limit. Please wait a few minutes.";
    expect(rateLimit(403, {}, { message }, NOW)).toEqual({ retryAfterSeconds: 60 });
    expect(rateLimit(429, {}, "<html>", NOW)).toEqual({ retryAfterSeconds: 60 });
  });

  it("is within an hour, and never in the past", () => {
    const reset = (seconds: number) => ({ "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(seconds) });
    expect(rateLimit(403, reset(NOW / 1_000 - 5), "", NOW)).toEqual({ retryAfterSeconds: 1 });
    expect(rateLimit(403, reset(NOW), "", NOW)).toEqual({ retryAfterSeconds: 3_600 });
    expect(rateLimit(429, { "retry-after": "Wed, 21 Oct 2026 07:28:00 GMT" }, "", NOW)).toEqual({
      retryAfterSeconds: 60,
    });
  });

  it("is no other 403, and no other status", () => {
    expect(rateLimit(403, { "x-ratelimit-remaining": "4999" }, { message: "Resource not accessible" }, NOW)).toBeNull();
    expect(rateLimit(401, { "retry-after": "1" }, { message: "rate limit" }, NOW)).toBeNull();
    expect(rateLimit(200, { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1" }, {}, NOW)).toBeNull();
  });
});
