import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { IpAllowlist } from "../config.ts";
import { parseAddress, parseRange } from "../ip-range.ts";
import { allowedAddress, HookRanges } from "./github-ip.ts";

const API = "https://api.github.test";
const HOUR = 3_600_000;
const github: IpAllowlist = { mode: "github" };

let now = 1_700_000_000_000;
let background: Promise<unknown>[] = [];
const meta = vi.spyOn(globalThis, "fetch");

beforeEach(() => {
  background = [];
  now += 100 * HOUR;
  vi.spyOn(console, "warn").mockImplementation(() => {});
});
afterEach(() => meta.mockReset());

const answer = (body: unknown, status = 200) => meta.mockImplementation(async () => Response.json(body, { status }));

async function allows(ranges: HookRanges, address: string): Promise<boolean> {
  return allowedAddress(parseAddress(address), github, () =>
    ranges.current(API, now, (work) => void background.push(work)),
  );
}

test("GitHub's list decides, for IPv4 and IPv6, and is asked for once an hour", async () => {
  answer({ hooks: ["203.0.113.0/24", "2001:db8:1::/48"] });
  const ranges = new HookRanges();
  expect(await allows(ranges, "203.0.113.9")).toBe(true);
  expect(await allows(ranges, "::ffff:203.0.113.9")).toBe(true);
  expect(await allows(ranges, "2001:db8:1::5")).toBe(true);
  expect(await allows(ranges, "2001:db8:2::5")).toBe(false);
  expect(await allows(ranges, "140.82.112.1")).toBe(false);
  now += HOUR - 1;
  expect(await allows(ranges, "203.0.113.9")).toBe(true);
  expect(meta).toHaveBeenCalledTimes(1);
  expect(meta.mock.calls[0]?.[0]).toBe(`${API}/meta`);
});

test("a list that is an hour old is renewed behind the request", async () => {
  answer({ hooks: ["203.0.113.0/24"] });
  const ranges = new HookRanges();
  await allows(ranges, "203.0.113.9");
  now += HOUR;
  answer({ hooks: ["198.51.100.0/24"] });
  expect(await allows(ranges, "203.0.113.9")).toBe(true);
  await Promise.all(background);
  expect(await allows(ranges, "203.0.113.9")).toBe(false);
  expect(await allows(ranges, "198.51.100.1")).toBe(true);
});

test.each([
  ["an error status", () => answer({ message: "rate limit" }, 403)],
  ["no list", () => answer({ verifiable_password_authentication: true })],
  ["an empty list", () => answer({ hooks: [] })],
  ["ranges that nobody can parse", () => answer({ hooks: ["everywhere"] })],
  ["something that is not JSON", () => meta.mockImplementation(async () => new Response("<html>"))],
  ["no answer", () => meta.mockImplementation(async () => Promise.reject(new TypeError("network")))],
])("%s from /meta: the list that ships with the code is in force", async (_, arrange) => {
  arrange();
  const ranges = new HookRanges();
  for (const address of [
    "192.30.252.1",
    "185.199.108.1",
    "140.82.112.1",
    "143.55.64.1",
    "2a0a:a440::1",
    "2606:50c0::1",
  ]) {
    expect(await allows(ranges, address), address).toBe(true);
  }
  for (const address of ["2001:db8::1", "8.8.8.8", "127.0.0.1", "::1"]) {
    expect(await allows(ranges, address), address).toBe(false);
  }
  expect(meta).toHaveBeenCalledTimes(1);
});

test("a failed renewal keeps the last good list, and is tried again after a minute", async () => {
  answer({ hooks: ["203.0.113.0/24"] });
  const ranges = new HookRanges();
  await allows(ranges, "203.0.113.9");
  now += HOUR;
  answer({}, 500);
  await allows(ranges, "203.0.113.9");
  await Promise.all(background);
  expect(await allows(ranges, "203.0.113.9")).toBe(true);
  expect(await allows(ranges, "140.82.112.1")).toBe(false);
  expect(meta).toHaveBeenCalledTimes(2);
  now += 60_000;
  await allows(ranges, "203.0.113.9");
  expect(meta).toHaveBeenCalledTimes(3);
});

test("a /meta that hangs holds a first delivery for two seconds, not for ever", async () => {
  meta.mockImplementation(() => new Promise(() => {}));
  const started = Date.now();
  expect(await allows(new HookRanges(), "140.82.112.1")).toBe(true);
  expect(Date.now() - started).toBeLessThan(4_000);
});

test("an address that is missing or unparseable is on no list", async () => {
  const asked = vi.fn(async () => [parseRange("0.0.0.0/0")!, parseRange("::/0")!]);
  for (const address of [null, parseAddress(""), parseAddress("203.0.113.9, 10.0.0.1"), parseAddress("unknown")]) {
    expect(await allowedAddress(address, github, asked)).toBe(false);
    expect(await allowedAddress(address, { mode: "ranges", ranges: await asked() }, asked)).toBe(false);
  }
});

test("an operator's own ranges replace GitHub's, and off lets everyone pass; neither asks GitHub", async () => {
  const never = () => Promise.reject(new Error("asked"));
  const own: IpAllowlist = { mode: "ranges", ranges: [parseRange("10.0.0.0/8")!, parseRange("fd00::/8")!] };
  expect(await allowedAddress(parseAddress("10.1.2.3"), own, never)).toBe(true);
  expect(await allowedAddress(parseAddress("fd12::1"), own, never)).toBe(true);
  expect(await allowedAddress(parseAddress("140.82.112.1"), own, never)).toBe(false);
  expect(await allowedAddress(parseAddress("8.8.8.8"), { mode: "off" }, never)).toBe(true);
  expect(await allowedAddress(null, { mode: "off" }, never)).toBe(true);
});
