import { expect, test } from "vitest";
import { inRanges, isLoopbackHost, parseAddress, parseRange } from "./ip-range.ts";

const contains = (range: string, address: string) => inRanges(parseAddress(address)!, [parseRange(range)!]);

test("ranges hold the addresses of their own family, at their edges too", () => {
  expect(contains("143.55.64.0/20", "143.55.64.0")).toBe(true);
  expect(contains("143.55.64.0/20", "143.55.79.255")).toBe(true);
  expect(contains("143.55.64.0/20", "143.55.80.0")).toBe(false);
  expect(contains("2a0a:a440::/29", "2a0a:a447:ffff::1")).toBe(true);
  expect(contains("2a0a:a440::/29", "2a0a:a448::1")).toBe(false);
  expect(contains("0.0.0.0/0", "2001:db8::1")).toBe(false);
  expect(contains("::/0", "192.0.2.1")).toBe(false);
});

test("an IPv4-mapped address is the IPv4 address that it carries, a mapped range likewise", () => {
  expect(contains("192.30.252.0/22", "::ffff:192.30.252.7")).toBe(true);
  expect(contains("192.30.252.0/22", "::ffff:c01e:fc07")).toBe(true);
  expect(contains("192.30.252.0/22", "::ffff:192.0.2.1")).toBe(false);
  expect(contains("::ffff:192.30.252.0/118", "192.30.253.1")).toBe(true);
  expect(contains("::ffff:192.30.252.0/118", "192.31.0.1")).toBe(false);
});

test("a bare address is the range of itself", () => {
  expect(contains("192.0.2.7", "192.0.2.7")).toBe(true);
  expect(contains("192.0.2.7", "192.0.2.6")).toBe(false);
  expect(contains("2001:db8::1", "2001:db8::2")).toBe(false);
});

test("what is not a plain address or range is null", () => {
  for (const text of [
    "",
    "localhost",
    "127.1",
    "0x7f.0.0.1",
    "2130706433",
    "1.2.3.4:80",
    "fe80::1%eth0",
    "1.2.3.256",
  ]) {
    expect(parseAddress(text), text).toBeNull();
  }
  for (const text of [
    "",
    "/8",
    "10.0.0.0/",
    "10.0.0.0/33",
    "::/129",
    "10.0.0.0/8/8",
    "10.0.0.0/-1",
    "::ffff:1.2.3.4/90",
  ]) {
    expect(parseRange(text), text).toBeNull();
  }
});

test("loopback host names are localhost and the loopback addresses only", () => {
  for (const host of ["localhost", "127.0.0.1", "127.3.2.1", "[::1]", "[::ffff:7f00:1]"]) {
    expect(isLoopbackHost(host), host).toBe(true);
  }
  for (const host of ["", "localhost.evil.example", "127.0.0.1.evil.example", "0.0.0.0", "[::]", "10.0.0.1"]) {
    expect(isLoopbackHost(host), host).toBe(false);
  }
});
