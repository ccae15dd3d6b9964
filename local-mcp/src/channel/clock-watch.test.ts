import { expect, it } from "vitest";
import { ClockWatch } from "./clock-watch.ts";

it("sees a sleep once, and neither a busy event loop nor a clock that is set back", () => {
  const watch = new ClockWatch(0);
  const looks: [now: number, jumped: boolean][] = [
    [2_000, false],
    [9_000, false],
    [309_000, true],
    [311_000, false],
    [-3_000_000, false],
    [-2_998_000, false],
  ];
  for (const [now, jumped] of looks) expect(watch.jumped(now)).toBe(jumped);
});
