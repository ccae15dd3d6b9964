import { describe, expect, it } from "vitest";
import { splitIdentifier } from "./identifier.ts";
import { stem } from "./stem.ts";
import { terms } from "./tokens.ts";

describe("splitIdentifier", () => {
  it.each([
    ["getUserName", ["get", "user", "name"]],
    ["get_user_name", ["get", "user", "name"]],
    ["HTTPServer2Config", ["http", "server", "2", "config"]],
    ["parseURLs", ["parse", "urls"]],
    ["userIDsByName", ["user", "ids", "by", "name"]],
    ["__init__", ["init"]],
    ["SCREAMING_CASE", ["screaming", "case"]],
    ["sha256", ["sha", "256"]],
    ["x", ["x"]],
    ["", []],
    ["grüßeSenden", ["grüße", "senden"]],
  ])("%s", (identifier, words) => {
    expect(splitIdentifier(identifier)).toEqual(words);
  });
});

describe("stem", () => {
  it.each([
    ["parse", "parser", "parsing", "parsed", "parses"],
    ["validate", "validation", "validator", "validating", "validates"],
    ["entry", "entries"],
    ["handle", "handler", "handling", "handlers"],
    ["match", "matches", "matching", "matcher"],
    ["run", "running"],
  ])("joins the forms of %s", (...forms) => {
    expect(new Set(forms.map(stem)).size).toBe(1);
  });

  it("keeps short words, names with digits, and words that only look like plurals", () => {
    expect(["css", "use", "sha256", "status", "class", "this", "string"].map(stem)).toEqual([
      "css",
      "use",
      "sha256",
      "status",
      "class",
      "this",
      "string",
    ]);
  });
});

describe("terms", () => {
  it("gives the words and the compound, so that camel and snake case meet", () => {
    expect(terms("getUserName")).toContain("getusername");
    expect(terms("get_user_name")).toEqual(terms("getUserName"));
  });

  it("gives characters and pairs for text without spaces", () => {
    expect(terms("検索機能")).toEqual(expect.arrayContaining(["検", "検索", "索機", "機能"]));
  });

  it("drops accents, so that é is found as e", () => {
    expect(terms("Café")).toEqual(terms("cafe"));
  });

  it("gives letters and digits only, whatever comes in", () => {
    for (const term of terms('a\0b "x" (y) * NEAR/3 it\'s {z} -q ^r :s été_naïve 日本 🎉 \ud800')) {
      expect(term).toMatch(/^[\p{L}\p{N}]+$/u);
    }
  });

  it("skips data that looks like a word", () => {
    expect(terms(`x ${"A1b2".repeat(50)} y`)).toEqual(["x", "y"]);
  });
});
