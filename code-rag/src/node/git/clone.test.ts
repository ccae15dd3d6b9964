import { chmodSync, existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { git, repository, temporaryDirectory, writeTree } from "../testing/temporary.ts";
import { checkoutDirectory, cloneRepository } from "./clone.ts";
import { parseRepositoryUrl } from "./repository-url.ts";

const POLICY = { schemes: ["file", "https"], hosts: [] };
const at = (directory: string) => parseRepositoryUrl(`file://${directory}`, POLICY);

describe("cloneRepository", () => {
  it("clones shallowly, and fetches what is new", async () => {
    const directory = temporaryDirectory();
    const source = repository(join(directory, "source"), { "a.ts": "1" });
    const options = { cache: join(directory, "cache"), repository: at(source) };
    const checkout = await cloneRepository(options);
    expect(readFileSync(join(checkout, "a.ts"), "utf8")).toBe("1");
    writeTree(source, { "a.ts": "2", "b.ts": "new" });
    git(source, "add", "--all");
    git(source, "commit", "--quiet", "--message", "more");
    expect(await cloneRepository(options)).toBe(checkout);
    expect(readFileSync(join(checkout, "a.ts"), "utf8")).toBe("2");
    expect(git(checkout, "rev-list", "--count", "HEAD").trim()).toBe("1");
  });

  it("has one checkout for each host, path and ref", async () => {
    const directory = temporaryDirectory();
    const source = repository(join(directory, "source"), { "a.ts": "main" });
    git(source, "switch", "--quiet", "--create", "other");
    writeTree(source, { "a.ts": "other" });
    git(source, "commit", "--quiet", "--all", "--message", "other");
    git(source, "switch", "--quiet", "main");
    const cache = join(directory, "cache");
    const main = await cloneRepository({ cache, repository: at(source) });
    const other = await cloneRepository({ cache, repository: at(source), ref: "other" });
    expect([main, other].map((checkout) => readFileSync(join(checkout, "a.ts"), "utf8"))).toEqual(["main", "other"]);
    const places = ["https://one.example/a/b", "https://two.example/a/b"].map((url) =>
      checkoutDirectory(cache, parseRepositoryUrl(url, POLICY), undefined),
    );
    expect(new Set(places).size).toBe(2);
  });

  it("runs nothing of the repository: hooks, submodules, filters", async () => {
    const directory = temporaryDirectory();
    const marker = join(directory, "marker");
    const source = repository(join(directory, "source"), { "a.ts": "a", ".gitattributes": "* filter=evil\n" });
    const hook = join(source, "hook.sh");
    writeFileSync(hook, `#!/bin/sh\ntouch ${marker}\n`);
    chmodSync(hook, 0o755);
    writeTree(source, { ".gitmodules": `[submodule "s"]\n\tpath = s\n\turl = ext::sh -c 'touch ${marker}'\n` });
    symlinkSync("/etc/passwd", join(source, "link"));
    git(source, "add", "--all");
    git(source, "update-index", "--add", "--cacheinfo", `160000,${git(source, "rev-parse", "HEAD").trim()},s`);
    git(source, "commit", "--quiet", "--message", "hostile");
    const home = writeTree(join(directory, "home"), {
      ".gitconfig": `[core]\n\thooksPath = ${source}\n[filter "evil"]\n\tsmudge = touch ${marker}; cat\n[init]\n\ttemplateDir = ${source}\n`,
    });
    vi.stubEnv("HOME", home);
    try {
      const checkout = await cloneRepository({ cache: join(directory, "cache"), repository: at(source) });
      expect(readdirSync(checkout).sort()).toContain("a.ts");
      expect(existsSync(marker)).toBe(false);
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it("fails in one line, without credentials, and leaves nothing behind", async () => {
    const directory = temporaryDirectory();
    const cache = join(directory, "cache");
    const missing = { cache, repository: at(join(directory, "nowhere")) };
    await expect(cloneRepository(missing)).rejects.toThrow(/^Cannot clone file:\/\/.*nowhere: [^\n]+$/);
    const secret = parseRepositoryUrl("https://user:s3cret@127.0.0.1:1/a/b", POLICY);
    const failure = await cloneRepository({ cache, repository: secret }).catch((error: Error) => error);
    expect((failure as Error).message).not.toMatch(/s3cret|user:/);
    expect(existsSync(join(cache, "repositories")) ? readdirSync(join(cache, "repositories")) : []).toEqual([]);
  });

  it("stops at its limit of time", async () => {
    const directory = temporaryDirectory();
    const source = repository(join(directory, "source"), { "a.ts": "a" });
    const slow = cloneRepository({ cache: join(directory, "cache"), repository: at(source), timeoutMs: 1 });
    await expect(slow).rejects.toThrow(/took too long/);
  });
});
