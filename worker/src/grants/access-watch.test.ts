import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { McpCaller } from "../ports.ts";
import type { Viewer, ViewerAccount } from "../viewer.ts";
import { AccessWatch, compareAccess } from "./access-watch.ts";

const seat = (accountId: number, repositories: "all" | number[], orgOwner = false): ViewerAccount => ({
  accountId,
  login: `account-${accountId}`,
  repositories: repositories === "all" ? "all" : new Set(repositories),
  orgOwner,
});
const viewer = (...accounts: ViewerAccount[]): Viewer => ({ userId: 7, accounts });

describe("compareAccess", () => {
  const before = viewer(seat(1, "all"), seat(2, [10, 20]));
  it.each<[string, Viewer, ReturnType<typeof compareAccess>]>([
    ["nothing has changed", viewer(seat(1, "all"), seat(2, [10, 20])), "same"],
    ["the order has", viewer(seat(2, [20, 10]), seat(1, "all")), "same"],
    ["a name has", viewer({ ...seat(1, "all"), login: "renamed" }, seat(2, [10, 20])), "same"],
    ["an account was gained", viewer(seat(1, "all"), seat(2, [10, 20]), seat(3, [])), "grown"],
    ["a repository was gained", viewer(seat(1, "all"), seat(2, [10, 20, 30])), "grown"],
    ["all of an account was gained", viewer(seat(1, "all"), seat(2, "all")), "grown"],
    ["ownership was gained", viewer(seat(1, "all"), seat(2, [10, 20], true)), "grown"],
    ["an account was lost", viewer(seat(1, "all")), "lost"],
    ["a repository was lost", viewer(seat(1, "all"), seat(2, [10])), "lost"],
    ["one was exchanged for another", viewer(seat(1, "all"), seat(2, [10, 30])), "lost"],
    ["an account was exchanged for another", viewer(seat(1, "all"), seat(3, "all")), "lost"],
    ["all of an account was lost but a part", viewer(seat(1, [10, 20, 30]), seat(2, [10, 20])), "lost"],
    ["it is another user", { ...before, userId: 8 }, "lost"],
  ])("when %s", (_, after, change) => {
    expect(compareAccess(before, after)).toBe(change);
  });

  it("when ownership was lost, and when it does not matter", () => {
    expect(compareAccess(viewer(seat(1, [10], true)), viewer(seat(1, [10])))).toBe("lost");
    expect(compareAccess(viewer(seat(1, [10], true)), viewer(seat(1, "all")))).toBe("grown");
  });
});

describe("AccessWatch", () => {
  beforeEach(() => void vi.useFakeTimers({ now: Date.UTC(2026, 10, 30) }));
  afterEach(() => void vi.useRealTimers());

  const start = viewer(seat(1, [10]));

  function watch(check: () => Promise<McpCaller | null>) {
    const told: string[] = [];
    const one = new AccessWatch({
      viewer: start,
      check,
      everyMs: 10_000,
      onGrown: ({ accounts }) => told.push(`grown to ${accounts.length}`),
      onLost: () => told.push("lost"),
      onUnknown: () => told.push("unknown"),
    });
    return { told, one };
  }
  const caller = (now: Viewer): McpCaller => ({ viewer: now, scopes: [] });

  it("tells growth each time, compared with what was told last, and loss once", async () => {
    let now: McpCaller | null = caller(start);
    const { told } = watch(async () => now);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(told).toEqual([]);
    now = caller(viewer(seat(1, [10]), seat(2, [])));
    await vi.advanceTimersByTimeAsync(30_000);
    expect(told).toEqual(["grown to 2"]);
    now = caller(start);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(told).toEqual(["grown to 2", "lost"]);
  });

  it("bears with checks that fail, until none has succeeded for 30 seconds", async () => {
    let fails = true;
    const { told } = watch(async () => {
      if (fails) throw new Error("out of reach");
      return caller(start);
    });
    await vi.advanceTimersByTimeAsync(25_000);
    fails = false;
    await vi.advanceTimersByTimeAsync(10_000);
    fails = true;
    await vi.advanceTimersByTimeAsync(24_000);
    expect(told).toEqual([]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(told).toEqual(["unknown"]);
  });

  it("does not wait for a check that hangs", async () => {
    const { told } = watch(() => new Promise(() => {}));
    await vi.advanceTimersByTimeAsync(29_000);
    expect(told).toEqual([]);
    await vi.advanceTimersByTimeAsync(11_000);
    expect(told).toEqual(["unknown"]);
  });

  it("says nothing once it is stopped, a check that is under way included", async () => {
    const { promise, resolve } = Promise.withResolvers<McpCaller | null>();
    const { told, one } = watch(() => promise);
    await vi.advanceTimersByTimeAsync(10_000);
    one.stop();
    resolve(null);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(told).toEqual([]);
  });
});
