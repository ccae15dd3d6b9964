import { describe, expect, it } from "vitest";
import { extractUnits } from "../../src/engine/units/extract.ts";
import { createNodePort } from "../../src/node/parse/node-port.ts";
import { pairsOfFile } from "./pairs-of-file.ts";
import { sentences } from "./sentences.ts";

describe("sentences of a comment", () => {
  it("are those before its tags, without markup", () => {
    const doc = "Gives the {@link User} that `id` names. Fails\nif there is none.\n\n@param id which user to look for.";
    expect(sentences(doc)).toEqual(["Gives the User that id names.", "Fails if there is none."]);
  });

  it("are none where a comment says nothing about the code", () => {
    for (const doc of ["Copyright 2020 The Authors of this file.", "{@inheritDoc}", "TODO: write this down", "foo bar"])
      expect(sentences(doc)).toEqual([]);
  });
});

describe("pairs of a file", async () => {
  const port = await createNodePort();

  it("have the sentence on one side only, in every language's comments", () => {
    const files = {
      "a.py":
        'def load_user(key):\n    """Reads a user from the store.\n\n    Slow.\n    """\n    row = store.fetch(key)\n    return User.from_row(row, strict=True)\n',
      "a.rs":
        "/// Reads a user from the store.\n/// Slow.\nfn load_user(key: Key) -> User {\n    let row = store.fetch(key);\n    User::from_row(row, true)\n}\n",
      "a.ts":
        "/**\n * Reads a user from the store.\n * Slow.\n */\nfunction loadUser(key: Key): User {\n  const row = store.fetch(key);\n  return User.fromRow(row, true);\n}\n",
      "a.cs":
        "class Users {\n  /// <summary>Reads a user from the store.</summary>\n  User LoadUser(Key key) {\n    var row = store.Fetch(key);\n    return User.FromRow(row, strict: true);\n  }\n}\n",
    };
    for (const [path, text] of Object.entries(files)) {
      const pairs = pairsOfFile(extractUnits({ path, text }, port));
      const doc = pairs.find((pair) => pair.kind === "doc");
      expect(doc?.query, path).toBe("Reads a user from the store.");
      expect(doc?.code, path).not.toContain("from the store");
      expect(doc?.code.toLowerCase(), path).toContain("store.fetch(key)");
    }
  });

  it("take a function's name out of its body", () => {
    const text =
      "function walkTree(node) {\n  for (const child of node.children) walkTree(child);\n  visit(node, depth);\n}\n";
    expect(pairsOfFile(extractUnits({ path: "a.js", text }, port))).toEqual([
      { kind: "name", query: "walk tree", code: expect.not.stringContaining("walkTree") },
    ]);
  });

  it("join the prose of a section with its example", () => {
    const text =
      "# Guide\n\n## Sign in\n\nAsk for a token first.\n\n```js\nconst token = await client.signIn({ user, password, otp });\nclient.use(token);\n```\n";
    expect(pairsOfFile(extractUnits({ path: "a.md", text }, port))).toContainEqual({
      kind: "prose",
      query: "Guide Sign in. Ask for a token first.",
      code: "const token = await client.signIn({ user, password, otp });\nclient.use(token);",
    });
  });
});
