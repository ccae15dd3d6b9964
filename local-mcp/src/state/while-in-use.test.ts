import { expect, it } from "vitest";
import { whileInUse } from "./while-in-use.ts";

/** Fails so often with this code. */
function failing(times: number, code: string) {
  let asked = 0;
  const step = async () => {
    if (++asked <= times) throw Object.assign(new Error(code), { code });
    return asked;
  };
  return { step, asked: () => asked };
}

it.each(["EPERM", "EACCES", "EBUSY"])(
  "waits out %s on Windows, where another process has the file open",
  async (code) => {
    expect(await whileInUse(failing(3, code).step, "win32")).toBe(4);
  },
);

it("gives up where that does not pass", async () => {
  const { step, asked } = failing(1_000, "EPERM");
  await expect(whileInUse(step, "win32", 100)).rejects.toThrow("EPERM");
  expect(asked()).toBeGreaterThan(1);
});

it("takes other errors, and other systems, at their word", async () => {
  for (const [code, platform] of [
    ["ENOSPC", "win32"],
    ["EEXIST", "win32"],
    ["EPERM", "linux"],
  ] as const) {
    const { step, asked } = failing(1, code);
    await expect(whileInUse(step, platform)).rejects.toThrow(code);
    expect(asked()).toBe(1);
  }
});
