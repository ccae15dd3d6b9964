import { chmodSync, existsSync, readdirSync, readFileSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, it, onTestFinished } from "vitest";
import { cleanEnvironment, commandLine, finished, start } from "../testing/process.ts";
import { git, repository, temporaryDirectory, writeTree } from "../testing/temporary.ts";
import { TOOLS } from "./tools/index.ts";

const TREE = {
  "src/token.ts": `import { sign } from "./crypto";

/** Makes a new token before the old one ends. */
export function refreshToken(old: string): string {
  return sign(old);
}
`,
  "src/crypto.ts": "export function sign(text: string): string {\n  return text + '!';\n}\n",
  "src/token.test.ts": 'import { refreshToken } from "./token";\ntest("refresh", () => refreshToken("a"));\n',
  "docs/guide.md": "# Guide\n\n## Tokens\n\nA token is refreshed an hour before it ends.\n",
  ".env": "SECRET=1\n",
};

async function connect(args: string[], options: { cwd: string; env: Record<string, string> }) {
  const client = new Client({ name: "test", version: "1.0.0" });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: commandLine(...args),
    ...options,
    stderr: "pipe",
  });
  let errors = "";
  transport.stderr?.on("data", (data) => {
    errors += data;
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  const call = async (name: string, input: Record<string, unknown> = {}) => {
    const result = await client.callTool({ name, arguments: input });
    const content = result.content as { type: string; text: string }[];
    // biome-ignore lint/suspicious/noExplicitAny: answers are compared field by field
    return { isError: result.isError === true, text: content[0]?.text ?? "", data: result.structuredContent as any };
  };
  const ready = async () => {
    for (;;) {
      const status = await call("index_status");
      if (
        status.data?.indexing === undefined &&
        status.data?.roots.length > 0 &&
        status.data.roots.every((root: { indexed_at: unknown }) => root.indexed_at)
      )
        return status.data;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  return { client, call, ready, errors: () => errors };
}

async function served(files: Readonly<Record<string, string>> = TREE, extra: Record<string, string> = {}) {
  const directory = temporaryDirectory();
  const tree = writeTree(join(directory, "app"), files);
  const cache = join(directory, "cache");
  const server = await connect(["serve", tree], { cwd: directory, env: cleanEnvironment(cache, extra) });
  return { ...server, directory, tree, cache };
}

describe("the registry of tools", () => {
  it("lists each tool once, described, with schemas and annotations", async () => {
    const { client } = await served();
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name)).toEqual(TOOLS.map((tool) => tool.name));
    expect(new Set(tools.map((tool) => tool.name))).toEqual(
      new Set([
        ...["search", "index_status", "search_code", "search_docs", "ask_docs", "read_doc", "read_source", "list_docs"],
        ...[
          "list_sources",
          "file_symbols",
          "repo_info",
          "refresh_index",
          "find_references",
          "find_related",
          "repo_map",
        ],
      ]),
    );
    for (const tool of tools) {
      expect(tool.description?.length, tool.name).toBeGreaterThan(40);
      expect(tool.inputSchema.type, tool.name).toBe("object");
      expect(tool.outputSchema?.type, tool.name).toBe("object");
      expect(tool.annotations?.title, tool.name).toBeTruthy();
      expect(tool.annotations?.readOnlyHint, tool.name).toBe(tool.name !== "refresh_index");
    }
  });
});

describe("every tool answers", () => {
  it("search and names", async () => {
    const { call, ready } = await served();
    await ready();
    const search = await call("search", { query: "how is a token refreshed", top_k: 3 });
    expect(search.data.results[0]).toMatchObject({
      path: "src/token.ts",
      symbol: "refreshToken",
      kind: "function",
      start_line: 3,
      end_line: 6,
    });
    expect(search.text).toContain("1. src/token.ts:3-6 function refreshToken");
    expect((await call("search", { query: "token", top_k: -1 })).data.results).toHaveLength(1);
    expect((await call("search", { query: "token", globs: ["docs/**"] })).data.results[0].path).toBe("docs/guide.md");
    const small = await call("search", { query: "token", max_tokens: 100 });
    expect(small.data.results.map((result: { source: string }) => result.source).join("").length).toBeLessThan(600);
    expect((await call("search_code", { query: "refresh" })).data.results[0]).toMatchObject({ symbol: "refreshToken" });
    expect((await call("search_docs", { query: "token hour" })).data.results[0]).toMatchObject({
      path: "docs/guide.md",
      heading: "Guide > Tokens",
    });
    const symbols = await call("file_symbols", { path: "src\\token.ts" });
    expect(symbols.data.symbols).toEqual([expect.objectContaining({ symbol: "refreshToken", start_line: 3 })]);
    const references = await call("find_references", { symbol: "sign" });
    expect(references.data.definitions[0].path).toBe("src/crypto.ts");
    expect(references.data.uses).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ use: "call", path: "src/token.ts", line: 5, text: "return sign(old);" }),
      ]),
    );
    const related = await call("find_related", { path: "src/token.ts", line: 5 });
    expect(related.data.callees[0].symbol).toBe("sign");
    expect(related.data.tests[0].path).toBe("src/token.test.ts");
    expect((await call("repo_map", {})).data.map).toContain("refreshToken");
  });

  it("reading and listing", async () => {
    const { call, ready, tree } = await served();
    await ready();
    const page = await call("read_source", { path: "src/token.ts", offset: 3, limit: 2 });
    expect(page.data).toMatchObject({ start_line: 3, end_line: 4, total_lines: 6, next_offset: 5 });
    expect(page.text).toContain("3  /** Makes a new token");
    expect((await call("read_doc", { path: "docs/guide.md" })).data.total_lines).toBe(5);
    expect((await call("list_docs")).data.files.map((file: { path: string }) => file.path)).toEqual(["docs/guide.md"]);
    expect((await call("list_sources", { globs: ["*.test.ts"] })).data).toMatchObject({ total: 1, next_cursor: null });
    const info = await call("repo_info");
    expect(info.data.repos[0]).toMatchObject({ repo: "app", ready: true, languages: { typescript: 3, markdown: 1 } });
    const status = await call("index_status");
    expect(status.data.roots[0]).toMatchObject({ files: 4, skipped: { secret: { files: 1, paths: [".env"] } } });
    writeFileSync(join(tree, "src/new.ts"), "export const fresh = () => 1;\n");
    expect((await call("refresh_index")).data.roots[0]).toMatchObject({ added: 1, unchanged: 4 });
    expect((await call("search_code", { query: "fresh" })).data.results[0].path).toBe("src/new.ts");
  });

  it("refuses what the index does not list", async () => {
    const { call, ready, tree, directory } = await served();
    await ready();
    writeFileSync(join(directory, "outside.ts"), "outside");
    unlinkSync(join(tree, "src/crypto.ts"));
    symlinkSync("../../outside.ts", join(tree, "src/crypto.ts"));
    const paths = [
      "../outside.ts",
      "src/../../outside.ts",
      join(tree, "src/token.ts"),
      "/etc/passwd",
      ".env",
      ".git/config",
      "src/token.ts\0",
      "src/crypto.ts",
      "",
      "C:\\x",
    ];
    for (const path of paths) {
      for (const tool of ["read_source", "read_doc"]) {
        const answer = await call(tool, { path });
        expect(answer.isError, `${tool} ${path}`).toBe(true);
        expect(answer.text, path).not.toContain("outside\n");
      }
      if (path !== "src/crypto.ts") expect((await call("file_symbols", { path })).isError, path).toBe(true);
    }
  });

  it("says what there is when it is narrowed to what there is not, rather than that nothing was found", async () => {
    const { call, ready } = await served();
    await ready();
    const query = "token";
    for (const [input, message] of [
      [{ query, repo: "elsewhere" }, 'The index has no repository "elsewhere". It has: app.'],
      [{ query, language: "Cobol" }, 'The index has no language "cobol". It has: markdown, typescript.'],
      [{ query, kind: "klass" }, /^The index has no kind of unit "klass"\. It has: function, method, /],
    ] as const) {
      const { isError, text } = await call("search", input);
      expect({ isError, text }).toEqual({ isError: true, text: expect.stringMatching(message) });
    }
    expect((await call("list_docs", { repo: "elsewhere" })).isError).toBe(true);
    const known = await call("search", { query, repo: "app", language: "TypeScript", kind: "function" });
    expect(known.data.results[0]).toMatchObject({ path: "src/token.ts", kind: "function" });
  });

  it("ask_docs without a key: an error that says so, and the best passages", async () => {
    const { call, ready } = await served();
    await ready();
    const answer = await call("ask_docs", { question: "When is a token refreshed?" });
    expect(answer.isError).toBe(true);
    expect(answer.text).toMatch(/^No language model is configured: set ANTHROPIC_API_KEY/);
    expect(answer.text).toContain("docs/guide.md:3");
  });
});

describe("a server under way", () => {
  it("answers in under a second while a large tree is being indexed, and says how far it is", async () => {
    const files = Object.fromEntries(
      Array.from({ length: 3_000 }, (_, i) => [`m${i}.py`, `def f${i}(x):\n    return x + ${i}\n`.repeat(15)]),
    );
    const { call, client } = await served(files);
    const tools = await client.listTools();
    const before = Date.now();
    const first = await call("search", { query: "f1" });
    expect(tools.tools.length).toBeGreaterThan(10);
    expect(Date.now() - before).toBeLessThan(1_000);
    expect(first.data.indexing).toMatch(/^indexing: \d+ %$/);
    expect(first.text).toMatch(/\(indexing: \d+ %\)$/);
  });

  it("ends quietly when its client leaves while git is listing", async () => {
    const directory = temporaryDirectory();
    const tree = writeTree(join(directory, "app"), TREE);
    writeTree(join(directory, "bin"), { git: '#!/bin/sh\ntouch "$HOME/listing"\nexec sleep 60\n' });
    chmodSync(join(directory, "bin/git"), 0o755);
    const env = cleanEnvironment(directory, { PATH: `${join(directory, "bin")}:${process.env.PATH}` });
    const server = start(["serve", tree], { cwd: directory, env });
    const result = finished(server);
    while (!existsSync(join(directory, "listing"))) await new Promise((resolve) => setTimeout(resolve, 20));
    server.stdin?.end();
    const { code, stderr } = await result;
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: "code-rag: Indexing was interrupted; everything finished so far is kept.\n",
    });
  });

  it("writes nothing into the tree, and nothing but JSON-RPC to stdout", async () => {
    const { ready, tree, cache } = await served();
    await ready();
    expect(readdirSync(tree).sort()).toEqual([".env", "docs", "src"]);
    expect(readdirSync(cache).some((name) => name.endsWith(".db"))).toBe(true);
  });

  it("says on every call that a clone failed; never that there are no results", async () => {
    const directory = temporaryDirectory();
    const env = cleanEnvironment(join(directory, "cache"), { CODE_RAG_GIT_SCHEMES: "file" });
    const { call } = await connect(["serve", "--repo", `file://${directory}/nowhere`], { cwd: directory, env });
    for (;;) {
      const answer = await call("search", { query: "x" });
      if (answer.isError) break;
      expect(answer.text).toContain("cloning");
    }
    for (const [tool, input] of [
      ["search", { query: "x" }],
      ["search_code", { query: "x" }],
      ["repo_map", {}],
      ["list_docs", {}],
    ] as const) {
      const answer = await call(tool, input);
      expect(answer.isError, tool).toBe(true);
      expect(answer.text, tool).toMatch(/^Cannot clone file:/);
    }
    expect((await call("repo_info")).data.error).toMatch(/^Cannot clone/);
  });

  it("clones, serves and really fetches on refresh", async () => {
    const directory = temporaryDirectory();
    const source = repository(join(directory, "widgets"), TREE);
    const env = cleanEnvironment(join(directory, "cache"), {
      CODE_RAG_GIT_SCHEMES: "file",
      REPO_RAG_URL: `file://${source}`,
    });
    const { call, ready } = await connect(["serve"], { cwd: directory, env });
    const status = await ready();
    expect(status.roots[0]).toMatchObject({
      repo: "widgets",
      url: `file://${source}`,
      revision: git(source, "rev-parse", "HEAD").trim(),
    });
    writeTree(source, { "src/later.ts": "export function addedLater() {}\n" });
    git(source, "add", "--all");
    git(source, "commit", "--quiet", "--message", "later");
    expect((await call("refresh_index")).data.roots[0]).toMatchObject({ added: 1 });
    expect((await call("search_code", { query: "addedLater" })).data.results).toHaveLength(1);
  });

  it("three servers on one database answer at once", async () => {
    const directory = temporaryDirectory();
    const tree = writeTree(join(directory, "app"), TREE);
    const options = { cwd: directory, env: cleanEnvironment(join(directory, "cache")) };
    const servers = await Promise.all([1, 2, 3].map(() => connect(["serve", tree], options)));
    await Promise.all(servers.map((server) => server.ready()));
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => {
        writeFileSync(join(tree, `src/n${i}.ts`), `export const n${i} = () => ${i};\n`);
        const server = servers[i % 3] as (typeof servers)[number];
        return i % 7 === 0 ? server.call("refresh_index") : server.call("search", { query: "refresh token" });
      }),
    );
    expect(answers.every((answer) => !answer.isError)).toBe(true);
  });
});

describe("git status of a served checkout", () => {
  it("does not change", async () => {
    const directory = temporaryDirectory();
    const tree = repository(join(directory, "r"), { "a.ts": "export const a = 1;\n" });
    const index = readFileSync(join(tree, ".git/index"));
    const { ready } = await connect(["serve", tree], {
      cwd: directory,
      env: cleanEnvironment(join(directory, "cache")),
    });
    await ready();
    expect(git(tree, "status", "--porcelain")).toBe("");
    expect(readFileSync(join(tree, ".git/index")).equals(index)).toBe(true);
    expect(existsSync(join(tree, "index.db"))).toBe(false);
  });
});
