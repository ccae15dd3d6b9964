import { expect, it } from "vitest";
import { further } from "./position.ts";

it("takes the further place in each store, so that the file never moves back", () => {
  expect(further("s1~1.a.v~2.5.v", "s1~1.7.v~2.6.v")).toBe("s1~1.a.v~2.6.v");
  expect(further("s1~1.a.v", "s1~1.b.w~3.1.w")).toBe("s1~1.b.w~3.1.w");
  expect(further("s1~1.a.v", "s1~2.1.v")).toBe("s1~2.1.v~1.a.v");
  // At the same place the newer access holds.
  expect(further("s1~1.a.old", "s1~1.a.new")).toBe("s1~1.a.new");
});

it("prefers a place to a time, and the later of two times", () => {
  expect(further("s1~1.zz", "s1~1.5.v")).toBe("s1~1.5.v");
  expect(further("s1~1.zz", "s1~1.zy~2.1.v")).toBe("s1~2.1.v~1.zz");
});

it("gives way where a cursor can't be read", () => {
  expect(further(undefined, "s1~1.7.v")).toBe("s1~1.7.v");
  expect(further("rubbish", "s1~1.7.v")).toBe("s1~1.7.v");
});
