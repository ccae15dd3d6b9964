import { abortAllDurableObjects, reset, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, test } from "vitest";
import { isReset, retryOnReset } from "./retry.ts";

afterEach(() => reset());

/** A call into a real object that stays inside for a while. */
function longCall(): Promise<string> {
  return runInDurableObject(env.TENANT_REGISTRY.getByName("retry-test"), async () => {
    await scheduler.wait(50);
    return "done";
  });
}

test("a call whose object is stopped in the middle is made once more", async () => {
  let calls = 0;
  const answer = retryOnReset(() => {
    calls++;
    return longCall();
  });
  await scheduler.wait(10);
  await abortAllDurableObjects();
  expect(await answer).toBe("done");
  expect(calls).toBe(2);
});

test("a second reset is the caller's to handle", async () => {
  let calls = 0;
  const call = () => {
    calls++;
    return Promise.reject(Object.assign(new Error("reset"), { durableObjectReset: true, remote: true }));
  };
  await expect(retryOnReset(call)).rejects.toThrow("reset");
  expect(calls).toBe(2);
});

test("errors of the object's own code, overloads and other failures are not tried again", async () => {
  const errors = [
    Object.assign(new Error("Durable Object is overloaded"), { overloaded: true, retryable: true }),
    Object.assign(new Error("no such table"), { remote: true }),
    new TypeError("x is undefined"),
    "text",
  ];
  for (const error of errors) {
    let calls = 0;
    const call = () => {
      calls++;
      return Promise.reject(error);
    };
    await expect(retryOnReset(call)).rejects.toBe(error);
    expect(calls).toBe(1);
  }
});

test("a reset is told by what the runtime says about the error", () => {
  expect(isReset(Object.assign(new Error("Network connection lost."), { retryable: true }))).toBe(true);
  expect(isReset(new Error("Durable Object reset because its code was updated."))).toBe(true);
  expect(isReset(new Error("Network connection lost."))).toBe(false);
});
