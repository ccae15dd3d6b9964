import { afterEach, describe, expect, test } from "vitest";
import { createUnitPool, type UnitPool } from "./unit-pool.ts";

const CRASHING = new URL("./testing/crashing-worker.ts", import.meta.url);

describe("the pool of parser threads", () => {
  let pool: UnitPool | undefined;
  afterEach(() => pool?.close());

  test("extracts many files at once and answers each with its own units", async () => {
    pool = createUnitPool({ threads: 2 });
    const { extract } = pool;
    const names = Array.from({ length: 40 }, (_, at) => `f${at}`);
    const found = await Promise.all(
      names.map((name) => extract({ path: `${name}.ts`, text: `export function ${name}() {}` })),
    );
    expect(found.map(({ units }) => units.map(({ symbol }) => symbol))).toEqual(names.map((name) => [name]));
  });

  test("a grammar that throws leaves its file split by lines, says so, and harms no other file", async () => {
    const failures: string[][] = [];
    pool = createUnitPool({ threads: 1, workerUrl: CRASHING, onFailure: (...failure) => failures.push(failure) });
    const { extract } = pool;
    const [thrown, after] = await Promise.all([
      extract({ path: "throws.js", text: "function a() {}" }),
      extract({ path: "good.js", text: "function b() {}" }),
    ]);
    expect(thrown).toMatchObject({ quality: "lines", units: [{ kind: "text", startLine: 1, endLine: 1 }] });
    expect(after).toMatchObject({ quality: "tree", units: [{ kind: "function", symbol: "b" }] });
    expect(failures).toEqual([["throws.js", "memory access out of bounds"]]);
  });

  test("a text that crashes its grammar's wasm is split by lines, and the next one is parsed again", async () => {
    const failures: string[] = [];
    pool = createUnitPool({ threads: 1, onFailure: (path) => failures.push(path) });
    const { extract } = pool;
    const [crashed, after] = await Promise.all([
      extract({ path: "crash.ts", text: "a<b,".repeat(20_000) }),
      extract({ path: "good.ts", text: "function b() {}" }),
    ]);
    expect(failures).toEqual(["crash.ts"]);
    expect(crashed.quality).toBe("lines");
    expect(after).toMatchObject({ quality: "tree", units: [{ kind: "function", symbol: "b" }] });
  });

  test("a thread that dies, or never answers, is replaced", async () => {
    pool = createUnitPool({ threads: 1, workerUrl: CRASHING, timeoutMs: 3_000 });
    const { extract } = pool;
    const [dead, hung, after] = await Promise.all([
      extract({ path: "dies.js", text: "function a() {}" }),
      extract({ path: "hangs.js", text: "function a() {}" }),
      extract({ path: "good.js", text: "function b() {}" }),
    ]);
    expect([dead.quality, hung.quality, after.quality]).toEqual(["lines", "lines", "tree"]);
  });

  test("close rejects what is not answered, and later requests", async () => {
    pool = createUnitPool({ threads: 1 });
    const { extract } = pool;
    const pending = [1, 2, 3].map((at) => extract({ path: `${at}.ts`, text: "let a;" }));
    const settled = Promise.allSettled(pending);
    await pool.close();
    expect((await settled).map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    await expect(extract({ path: "late.ts", text: "" })).rejects.toThrow("closed");
  });
});
