import { describe, expect, test } from "vitest";
import { parseAddress } from "./ip-range.ts";
import { RateLimiter, rateKey } from "./rate-limit.ts";

const start = 1_700_000_000_500;

describe("the sliding window", () => {
  test("lets the limit through, then nothing, and all again a minute after", () => {
    const limiter = new RateLimiter();
    for (let i = 0; i < 5; i++) {
      expect(limiter.exceeded("a", 5, start + i)).toBe(false);
      limiter.charge("a", start + i);
    }
    expect(limiter.exceeded("a", 5, start + 5)).toBe(true);
    expect(limiter.exceeded("a", 5, start + 59_000)).toBe(true);
    expect(limiter.exceeded("a", 5, start + 60_000)).toBe(false);
  });

  test("slides: what was charged first comes back first, and a window's edge admits no double burst", () => {
    const limiter = new RateLimiter();
    limiter.charge("a", start);
    limiter.charge("a", start + 50_000);
    limiter.charge("a", start + 50_000);
    expect(limiter.exceeded("a", 3, start + 59_000)).toBe(true);
    expect(limiter.exceeded("a", 3, start + 60_000)).toBe(false);
    limiter.charge("a", start + 60_000);
    expect(limiter.exceeded("a", 3, start + 61_000)).toBe(true);
    expect(limiter.exceeded("a", 3, start + 110_000)).toBe(false);
  });

  test("forgets everything after a long silence, and survives a clock that steps back", () => {
    const limiter = new RateLimiter();
    for (let i = 0; i < 3; i++) limiter.charge("a", start + i * 1_000);
    limiter.charge("a", start - 5_000);
    expect(limiter.exceeded("a", 4, start + 3_000)).toBe(true);
    expect(limiter.exceeded("a", 1, start + 10_000_000)).toBe(false);
  });

  test("keys don't share a window, and a limit of 0 is none", () => {
    const limiter = new RateLimiter();
    limiter.charge("a", start);
    expect(limiter.exceeded("b", 1, start)).toBe(false);
    expect(limiter.exceeded("a", 0, start)).toBe(false);
  });

  test("remembers a bounded number of keys, and the busy one among a flood of others", () => {
    const limiter = new RateLimiter(100);
    for (let i = 0; i < 1_000; i++) {
      limiter.charge("busy", start);
      limiter.charge(`other-${i}`, start);
    }
    expect(limiter.size).toBe(100);
    expect(limiter.exceeded("busy", 1_000, start)).toBe(true);
    expect(limiter.exceeded("other-0", 1, start)).toBe(false);
  });
});

test("an IPv6 address counts with its /64, an IPv4 address alone, mapped or not", () => {
  const key = (text: string) => rateKey(parseAddress(text));
  expect(key("2001:db8:1:2::1")).toBe(key("2001:db8:1:2:ffff:ffff:ffff:ffff"));
  expect(key("2001:db8:1:2::1")).not.toBe(key("2001:db8:1:3::1"));
  expect(key("192.0.2.1")).not.toBe(key("192.0.2.2"));
  expect(key("::ffff:192.0.2.1")).toBe(key("192.0.2.1"));
  expect(key("not an address")).toBe(rateKey(null));
});
