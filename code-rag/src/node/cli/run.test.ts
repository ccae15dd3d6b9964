import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cleanEnvironment, finished, run, start } from "../testing/process.ts";
import { repository, temporaryDirectory, writeTree } from "../testing/temporary.ts";

const TREE = {
  "src/queue.ts": "/** Waits for its turn. */\nexport function enqueueJob(job: string) {\n  return [job];\n}\n",
  "README.md": "# Jobs\n\nHow jobs are queued.\n",
};

function project(files: Record<string, string> = TREE) {
  const directory = temporaryDirectory();
  const tree = writeTree(join(directory, "a b&c"), files);
  const cache = join(directory, "cache");
  return { directory, tree, cache, options: { cwd: tree, env: cleanEnvironment(cache) } };
}

describe("code-rag index, search, status", () => {
  it("index a directory, find in it, and say what there is", async () => {
    const { options, tree } = project();
    const first = await run(["index", "."], options);
    expect(first).toMatchObject({ code: 0, stdout: "" });
    expect(first.stderr).toContain("2 added, 0 updated, 0 removed, 0 unchanged");
    const again = await run(["index", ".", "--json"], options);
    // The index itself is in the tree, and is no source.
    expect(JSON.parse(again.stdout).roots[0]).toMatchObject({ unchanged: 2, added: 0 });
    const found = await run(["search", "enqueue job", "--json"], options);
    expect(JSON.parse(found.stdout)[0]).toEqual({
      path: "src/queue.ts",
      start_line: 1,
      end_line: 4,
      symbol: "enqueueJob",
      kind: "function",
      score: expect.any(Number),
    });
    const shown = await run(["search", "enqueueJob"], options);
    expect(shown.stdout).toContain("src/queue.ts:1 function enqueueJob");
    expect(shown.stdout).not.toContain("\x1b");
    const status = JSON.parse((await run(["status", "--json"], options)).stdout);
    expect(status.roots[0]).toMatchObject({ files: 2, last_sync: { added: 0, unchanged: 2 } });
    expect(existsSync(join(tree, "index.db"))).toBe(true);
  });

  it("clamp --top-k", async () => {
    const { options } = project();
    await run(["index", "."], options);
    expect(JSON.parse((await run(["search", "jobs queue", "--json", "--top-k=-1"], options)).stdout)).toHaveLength(1);
    expect(
      JSON.parse((await run(["search", "jobs queue", "--json", "--top-k", "9999"], options)).stdout).length,
    ).toBeGreaterThan(1);
  });

  it("warn where there is nothing to index", async () => {
    const { options } = project({ ".gitignore": "*\n" });
    const result = await run(["index", "."], options);
    expect(result.code).toBe(0);
    expect(result.stderr).toMatch(/Warning: .* no files to index/);
  });
});

describe("errors are one line, and exit code 1", () => {
  it.each([
    [["index", "/no/such/place"], /^code-rag: No such directory: \/no\/such\/place$/],
    [["search", "x"], /^code-rag: No index at .*index\.db\. Make one with: code-rag index/],
    [["status", "--db", "gone.db"], /^code-rag: No index at .*gone\.db/],
    [["serve"], /^code-rag: No index at .*index\.db/],
    [["search"], /^code-rag: Nothing to search for/],
    [["index", ".", "--summarizer", "anthropic"], /ANTHROPIC_API_KEY/],
    [["index", ".", "--summarizer", "openai"], /OPENAI_API_KEY/],
    [["index", ".", "--summarizer", "gpt"], /--summarizer must be one of/],
    [["index", ".", "--embed-model", "x"], /--embed-model must be/],
    [["index", "https://user:s3cret@host/a b"], /^code-rag: The repository address is refused/],
    [["index", "ext::sh -c id"], /refused/],
    [["serve", "--repo", "https://host/a", "--ref", "--help"], /^code-rag: Option '--ref' argument is ambiguous|ref/],
    [["serve", "--repo", "https://host/a", "--ref=--upload-pack=touch /tmp/p"], /ref is no valid/],
    [["--no-such-option"], /^code-rag: Unknown option/],
  ])("%j", async (args, message) => {
    const { options, tree } = project();
    const result = await run(args, options);
    expect(result.code).toBe(1);
    expect(result.stdout).toBe("");
    expect(result.stderr.trim()).toMatch(message);
    expect(result.stderr.trim().split("\n")).toHaveLength(1);
    expect(result.stderr).not.toContain("s3cret");
    expect(readdirSync(tree).filter((name) => name.endsWith(".db") && name !== "index.db")).toEqual([]);
  });

  it("says so where --db is no index", async () => {
    const { options, tree } = project();
    writeTree(tree, {
      "notes.db": "this is a text, and long enough to be looked at as a header of a database file .........",
    });
    const result = await run(["status", "--db", "notes.db"], options);
    expect(result).toMatchObject({ code: 1, stdout: "" });
    expect(result.stderr).toMatch(/no code-rag index/);
  });
});

describe("Ctrl-C", () => {
  it("ends with 130 and keeps what is finished", async () => {
    const files = Object.fromEntries(
      Array.from({ length: 3_000 }, (_, i) => [`m${i}.py`, `def f${i}(x):\n    return x + ${i}\n`.repeat(8)]),
    );
    const { options, tree } = project(files);
    const child = start(["index", "."], options);
    const result = finished(child);
    await new Promise<void>((resolve) => {
      child.stderr?.on("data", (data) => {
        if (String(data).includes("25 %")) resolve();
      });
    });
    child.kill("SIGINT");
    expect(await result).toMatchObject({
      code: 130,
      stderr: expect.stringContaining("everything finished so far is kept"),
    });
    const next = JSON.parse((await run(["index", tree, "--json"], options)).stdout);
    expect(next.roots[0].unchanged).toBeGreaterThan(50);
    expect(next.roots[0].added + next.roots[0].unchanged).toBe(3_000);
  }, 60_000);
});

describe("repositories", () => {
  it("index a clone, and never show its credentials", async () => {
    const { directory, options } = project();
    const source = repository(join(directory, "source"), TREE);
    const env = { ...options.env, CODE_RAG_GIT_SCHEMES: "file" };
    const result = await run(["index", `file://${source}`, "--json"], { ...options, env });
    expect(result.code).toBe(0);
    expect(JSON.parse(result.stdout).roots[0]).toMatchObject({ root: "source", added: 2 });
  });
});
