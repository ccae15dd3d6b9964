import { afterEach, describe, expect, test } from "vitest";
import type { Examined, FileExaminer } from "../../engine/prepare/examine.ts";
import type { PreparedFile } from "../../engine/prepare/prepare-file.ts";
import { temporaryDirectory, writeTree } from "../testing/temporary.ts";
import { createFilePool, type FilePool } from "./file-pool.ts";

const CRASHING = new URL("./testing/crashing-worker.ts", import.meta.url);

/** An examiner by path of a tree with these files. */
function examinerOf(pool: FilePool, files: Record<string, string>): (path: string) => ReturnType<FileExaminer> {
  const examine = pool.examinerOf(writeTree(temporaryDirectory(), files));
  return (path) => examine({ path, size: files[path]?.length ?? 0, modifiedMs: 0 }, undefined);
}

const prepared = (found: Examined) => found as PreparedFile;

describe("the pool of parser threads", () => {
  let pool: FilePool | undefined;
  afterEach(() => pool?.close());

  test("prepares many files at once and answers each with its own", async () => {
    pool = createFilePool({ threads: 2, embed: false });
    const names = Array.from({ length: 200 }, (_, at) => `f${at}`);
    const files = Object.fromEntries(
      names.map((name) => [`${name}.ts`, `export function ${name}() {\n${"  call();\n".repeat(200)}}`]),
    );
    const examine = examinerOf(pool, files);
    const found = await Promise.all(names.map((name) => examine(`${name}.ts`)));
    expect(found.map((file) => prepared(file).units.map(({ symbol }) => symbol))).toEqual(names.map((name) => [name]));
  });

  test("tells what is not indexed, what cannot be read, and what holds what it held", async () => {
    pool = createFilePool({ threads: 1, embed: false });
    const examine = pool.examinerOf(writeTree(temporaryDirectory(), { "a.bin": "\0", "a.ts": "let a;" }));
    const at = (path: string, knownHash?: string) => examine({ path, size: 6, modifiedMs: 0 }, knownHash);
    expect(await at("a.bin")).toBe("binary");
    expect(await at("gone.ts")).toBe("unreadable");
    const { hash } = prepared(await at("a.ts"));
    expect(await at("a.ts", hash)).toBe("same");
  });

  test("makes a vector for each chunk where it is asked to", async () => {
    pool = createFilePool({ threads: 1, embed: true });
    const file = prepared(await examinerOf(pool, { "a.ts": "function a() {}\nfunction b() {}\n" })("a.ts"));
    expect(file.units).toHaveLength(2);
    expect(file.vectors).toHaveLength(2 * 256);
    expect(file.vectors?.some((value) => value !== 0)).toBe(true);
  });

  test("a grammar that throws leaves its file split by lines, says so, and harms no other file", async () => {
    const failures: string[][] = [];
    const onFailure = (...failure: string[]) => failures.push(failure);
    pool = createFilePool({ threads: 1, embed: false, workerUrl: CRASHING, onFailure });
    const examine = examinerOf(pool, { "throws.js": "function a() {}", "good.js": "function b() {}" });
    const [thrown, after] = await Promise.all([examine("throws.js"), examine("good.js")]);
    expect(thrown).toMatchObject({ quality: "lines", units: [{ kind: "text", startLine: 1, endLine: 1 }] });
    expect(after).toMatchObject({ quality: "tree", units: [{ kind: "function", symbol: "b" }] });
    expect(failures).toEqual([["throws.js", "memory access out of bounds"]]);
  });

  test("a text that crashes its grammar's wasm is split by lines, and the next one is parsed again", async () => {
    const failures: string[] = [];
    pool = createFilePool({ threads: 1, embed: false, onFailure: (path) => failures.push(path) });
    const examine = examinerOf(pool, {
      "crash.ts": `${"a<b,".repeat(100)}\n`.repeat(200),
      "good.ts": "function b() {}",
    });
    const [crashed, after] = await Promise.all([examine("crash.ts"), examine("good.ts")]);
    expect(failures).toEqual(["crash.ts"]);
    expect(prepared(crashed).quality).toBe("lines");
    expect(after).toMatchObject({ quality: "tree", units: [{ kind: "function", symbol: "b" }] });
  });

  test("a thread that dies, or never answers, is replaced, and what waited with it is not lost", async () => {
    pool = createFilePool({ threads: 1, embed: false, workerUrl: CRASHING, timeoutMs: 3_000 });
    const names = ["dies.js", "hangs.js", "good.js"];
    const examine = examinerOf(pool, Object.fromEntries(names.map((name) => [name, "function a() {}"])));
    const found = await Promise.all(names.map(examine));
    expect(found.map((file) => prepared(file).quality)).toEqual(["lines", "lines", "tree"]);
  });

  test("close rejects what is not answered, and later requests", async () => {
    pool = createFilePool({ threads: 1, embed: false });
    const examine = examinerOf(pool, { "a.ts": "let a;" });
    const settled = Promise.allSettled([examine("a.ts"), examine("a.ts"), examine("a.ts")]);
    await pool.close();
    expect((await settled).map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    await expect(examine("a.ts")).rejects.toThrow("closed");
  });
});
