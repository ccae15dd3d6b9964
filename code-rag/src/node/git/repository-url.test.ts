import { describe, expect, it } from "vitest";
import { checkRef, looksLikeUrl, parseRepositoryUrl, type UrlPolicy, urlPolicy } from "./repository-url.ts";

const POLICY: UrlPolicy = { schemes: ["https", "ssh"], hosts: [] };

describe("parseRepositoryUrl", () => {
  it.each([
    ["https://github.com/a/b.git", "https://github.com/a/b", "b"],
    ["https://GitHub.com/a/b/", "https://github.com/a/b", "b"],
    ["https://host:8443/x/y", "https://host:8443/x/y", "y"],
    ["git@github.com:a/b.git", "ssh://github.com/a/b", "b"],
    ["ssh://git@host:2222/a/b", "ssh://host:2222/a/b", "b"],
  ])("%s", (text, url, name) => {
    expect(parseRepositoryUrl(text, POLICY)).toMatchObject({ url, name });
  });

  it("keeps credentials out of everything but one header", () => {
    const parsed = parseRepositoryUrl("https://user:s3cret%40@host/a/b", POLICY);
    expect(parsed.authorization).toBe(`Basic ${Buffer.from("user:s3cret@").toString("base64")}`);
    const { authorization: _kept, ...shown } = parsed;
    expect(JSON.stringify(shown)).not.toMatch(/s3cret|user/);
  });

  it.each([
    "--upload-pack=touch /tmp/p",
    "-u",
    "ext::sh -c id",
    "ext::sh%20-c%20id",
    "https://host/a b",
    "https://host/$(id)",
    "https://host/a;id",
    "https://host/`id`",
    "https://-oProxyCommand=id/x",
    "ssh://-oProxyCommand=id/x",
    "-oProxyCommand=id:x/y",
    "https://host/--upload-pack=x",
    "file:///etc",
    "http://host/a",
    "git://host/a",
    "javascript:alert(1)",
    "https://",
    "https://host/a\0b",
    "https://host/a\nb",
    "https://host/%zz",
  ])("refuses %j", (text) => {
    expect(() => parseRepositoryUrl(text, POLICY)).toThrow(/refused/);
  });

  it("says nothing of the credentials in a URL that it refuses", () => {
    for (const text of ["http://user:s3cret@host/a", "https://user:s3cret@host/a b", "https://user:s3cret@evil/a"]) {
      try {
        parseRepositoryUrl(text, { schemes: ["https"], hosts: ["github.com"] });
        expect.unreachable();
      } catch (error) {
        expect((error as Error).message).not.toMatch(/s3cret/);
      }
    }
  });

  it("keeps to the hosts and schemes of the environment", () => {
    const policy = urlPolicy({ CODE_RAG_GIT_HOSTS: "github.com", CODE_RAG_GIT_SCHEMES: "https, file" });
    expect(() => parseRepositoryUrl("https://gitlab.com/a/b", policy)).toThrow(/CODE_RAG_GIT_HOSTS/);
    expect(() => parseRepositoryUrl("ssh://github.com/a/b", policy)).toThrow(/CODE_RAG_GIT_SCHEMES/);
    expect(parseRepositoryUrl("https://github.com/a/b", policy).name).toBe("b");
    expect(() => urlPolicy({ CODE_RAG_GIT_SCHEMES: "ext" })).toThrow(/knows/);
  });
});

describe("checkRef", () => {
  it.each(["main", "v1.2.3", "feature/x-y", "d9faff0d7bc32e7adebc6552446f978118d3ab3b"])("takes %s", (ref) => {
    expect(checkRef(ref)).toBe(ref);
  });

  it.each([
    "--help",
    `--upload-pack=touch\${IFS}/tmp/p`,
    "-x",
    "a b",
    "a..b",
    "a@{1}",
    "x.lock",
    "",
    "a:b",
    "a~1",
    "$(id)",
    "a\nb",
    "x/",
  ])("refuses %j", (ref) => {
    expect(() => checkRef(ref)).toThrow(/ref/);
  });
});

describe("looksLikeUrl", () => {
  it.each([
    ["https://x/y", true],
    ["git@host:a/b", true],
    ["ext::sh -c id", true],
    ["./dir", false],
    ["dir/a:b", false],
    ["C:\\work", false],
    [".", false],
  ])("%s: %s", (text, expected) => {
    expect(looksLikeUrl(text)).toBe(expected);
  });
});
