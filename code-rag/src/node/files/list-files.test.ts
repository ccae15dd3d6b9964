import { execFileSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { git, repository, temporaryDirectory, writeTree } from "../testing/temporary.ts";
import { listFiles } from "./list-files.ts";

afterEach(() => vi.unstubAllEnvs());

async function indexed(root: string): Promise<string[]> {
  return (await listFiles(root)).files
    .filter((file) => file.skip === undefined)
    .map((file) => file.path)
    .sort();
}

async function skipped(root: string): Promise<Record<string, string>> {
  const files = (await listFiles(root)).files.filter((file) => file.skip !== undefined);
  return Object.fromEntries(files.map((file) => [file.path, file.skip as string]));
}

const IGNORE_CASE = {
  ".gitignore": "p/*\n!p/app\n/Lib/\n",
  "p/app/a.js": "a",
  "p/x/b.js": "b",
  "Lib/c.js": "c",
  "src/Lib/d.js": "d",
};

describe("ignore rules", () => {
  it("in a checkout, as git has them", async () => {
    const root = writeTree(temporaryDirectory(), IGNORE_CASE);
    git(root, "init", "--quiet");
    const listing = await listFiles(root);
    expect(listing.by).toBe("git");
    expect(await indexed(root)).toEqual([".gitignore", "p/app/a.js", "src/Lib/d.js"]);
  });

  it("the same without git", async () => {
    const root = writeTree(temporaryDirectory(), IGNORE_CASE);
    const listing = await listFiles(root);
    expect(listing.by).toBe("walk");
    expect(await indexed(root)).toEqual([".gitignore", "p/app/a.js", "src/Lib/d.js"]);
  });

  it("of nested ignore files: the deepest that speaks decides", async () => {
    const root = writeTree(temporaryDirectory(), {
      ".gitignore": "*.log\n",
      "a/.gitignore": "!keep.log\n",
      "a/keep.log": "1",
      "a/drop.log": "2",
      "b/keep.log": "3",
    });
    expect(await indexed(root)).toEqual([".gitignore", "a/.gitignore", "a/keep.log"]);
  });

  it("info/exclude counts; .dockerignore and .prettierignore do not", async () => {
    const root = writeTree(temporaryDirectory(), {
      ".dockerignore": "*\n!out\n",
      ".prettierignore": "*\n",
      "a.ts": "a",
      "b.ts": "b",
    });
    git(root, "init", "--quiet");
    writeFileSync(join(root, ".git/info/exclude"), "b.ts\n");
    expect(await indexed(root)).toEqual([".dockerignore", ".prettierignore", "a.ts"]);
  });

  it("an ignored directory that is named itself is walked", async () => {
    const root = writeTree(temporaryDirectory(), { ".gitignore": "out/\n", "out/a.ts": "a" });
    git(root, "init", "--quiet");
    expect(await indexed(join(root, "out"))).toEqual(["a.ts"]);
  });
});

describe("what is not part of a root", () => {
  it("worktrees of agents inside it; but a worktree as root is whole", async () => {
    const root = repository(join(temporaryDirectory(), "r"), { "a.ts": "a" });
    git(root, "worktree", "add", "--quiet", ".claude/worktrees/w");
    expect(await indexed(root)).toEqual(["a.ts"]);
    expect(await indexed(join(root, ".claude/worktrees/w"))).toEqual(["a.ts"]);
  });

  it("submodules: skipped and named", async () => {
    const directory = temporaryDirectory();
    repository(join(directory, "lib"), { "l.ts": "l" });
    const root = repository(join(directory, "r"), { "a.ts": "a" });
    git(root, "submodule", "--quiet", "add", join(directory, "lib"), "sub");
    expect(await indexed(root)).toEqual([".gitmodules", "a.ts"]);
    expect(await skipped(root)).toEqual({ sub: "submodule" });
  });

  it("symbolic links, to anywhere, and loops of them", async () => {
    const directory = temporaryDirectory();
    writeTree(directory, { "outside.ts": "secret", "r/a.ts": "a", "r/d/b.ts": "b" });
    const root = join(directory, "r");
    symlinkSync("../outside.ts", join(root, "out.ts"));
    symlinkSync("..", join(root, "d/up"));
    symlinkSync("loop", join(root, "loop"));
    symlinkSync("/etc", join(root, "etc"));
    expect(await indexed(root)).toEqual(["a.ts", "d/b.ts"]);
    git(root, "init", "--quiet");
    expect(await indexed(root)).toEqual(["a.ts", "d/b.ts"]);
  });

  it("files with keys, tracked or not", async () => {
    const keys = {
      ".env": "K=1",
      "conf/.env.local": "K=1",
      id_rsa: "k",
      "x.pem": "k",
      "ok/.env.example": "K=",
      "id_rsa.pub": "p",
    };
    const root = repository(join(temporaryDirectory(), "r"), keys);
    expect(await indexed(root)).toEqual(["id_rsa.pub", "ok/.env.example"]);
    expect(await skipped(root)).toEqual({
      ".env": "secret",
      "conf/.env.local": "secret",
      id_rsa: "secret",
      "x.pem": "secret",
    });
  });

  it("the .git directory of a root that git refuses to read", async () => {
    const root = repository(join(temporaryDirectory(), "r"), { "a.ts": "a" });
    writeFileSync(join(root, ".git/HEAD"), "broken");
    expect(await indexed(root)).toEqual(["a.ts"]);
  });
});

describe("hostile trees", () => {
  it("a repository's own configuration starts nothing", async () => {
    const root = repository(join(temporaryDirectory(), "r"), { "a.ts": "a" });
    const marker = join(root, "..", "marker");
    const script = join(root, "x.sh");
    writeFileSync(script, `#!/bin/sh\ntouch ${marker}\n`);
    chmodSync(script, 0o755);
    for (const key of [
      "core.fsmonitor",
      "core.hooksPath",
      "core.pager",
      "core.sshCommand",
      "credential.helper",
      "filter.x.clean",
    ]) {
      git(root, "config", key, script);
    }
    writeFileSync(join(root, ".gitattributes"), "* filter=x\n");
    expect(await indexed(root)).toContain("a.ts");
    expect(existsSync(marker)).toBe(false);
  });

  it("an inherited GIT_DIR does not list another repository", async () => {
    const directory = temporaryDirectory();
    const other = repository(join(directory, "other"), { "other.ts": "o" });
    const root = repository(join(directory, "r"), { "a.ts": "a" });
    vi.stubEnv("GIT_DIR", join(other, ".git"));
    vi.stubEnv("GIT_WORK_TREE", other);
    expect(await indexed(root)).toEqual(["a.ts"]);
  });

  it("names with newlines, quotes, spaces, dashes, commands and other alphabets", async () => {
    const names = [
      "a\nb.ts",
      "q'\".ts",
      "-rf.ts",
      "$(touch x).ts",
      "`id`.ts",
      "größe.ts",
      "日本.ts",
      "a b/c d.ts",
      "--output=x.ts",
    ];
    const files = Object.fromEntries(names.map((name) => [name, "x"]));
    const walked = writeTree(temporaryDirectory(), files);
    expect(await indexed(walked)).toEqual([...names].sort());
    expect(await indexed(repository(join(temporaryDirectory(), "a b&c"), files))).toEqual([...names].sort());
  });

  it("names that are not UTF-8: counted, and no crash", async () => {
    const root = repository(join(temporaryDirectory(), "r"), { "a.ts": "a" });
    writeFileSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0x66, 0xff, 0x2e, 0x74, 0x73])]), "x");
    expect(await indexed(root)).toEqual(["a.ts"]);
    expect(Object.values(await skipped(root))).toEqual(["unreadable"]);
  });

  it("ten thousand nested directories, and a file of 2 GB that takes no room", async () => {
    const root = temporaryDirectory();
    // Deeper than any path may be long: made by a process that walks down.
    execFileSync(
      "node",
      [
        "-e",
        "for (let i = 0; i < 10000; i++) { fs.mkdirSync('d'); process.chdir('d'); } fs.writeFileSync('deep.ts', 'x')",
      ],
      { cwd: root },
    );
    const sparse = openSync(join(root, "big.ts"), "w");
    ftruncateSync(sparse, 2 * 1024 ** 3);
    closeSync(sparse);
    writeTree(root, { "a.ts": "a" });
    const listing = await listFiles(root);
    expect(listing.files.map((file) => file.path).sort()).toEqual(["a.ts", "big.ts"]);
    execFileSync("rm", ["-rf", join(root, "d")]);
  }, 60_000);

  it("an unreadable directory is empty; a deleted tracked file is gone", async () => {
    const root = repository(join(temporaryDirectory(), "r"), { "a.ts": "a", "b.ts": "b" });
    rmSync(join(root, "b.ts"));
    expect(await indexed(root)).toEqual(["a.ts"]);
    const plain = temporaryDirectory();
    mkdirSync(join(plain, "closed"), { mode: 0o000 });
    writeTree(plain, { "a.ts": "a" });
    expect(await indexed(plain)).toEqual(["a.ts"]);
    chmodSync(join(plain, "closed"), 0o700);
  });
});
