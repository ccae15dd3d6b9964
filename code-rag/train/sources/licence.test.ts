import { describe, expect, it, test } from "vitest";
import { isPermissive, readCopyright } from "./licence.ts";

describe("permissive licences", () => {
  test.each(["MIT", "Expat", "Apache-2.0", "BSD-3-clause", "ISC", "MIT OR GPL-2.0", "(MIT AND BSD-2-Clause)", "Go"])(
    "%s is one",
    (expression) => expect(isPermissive(expression)).toBe(true),
  );
  test.each(["GPL-2+", "LGPL-2.1", "MPL-2.0", "MIT and GPL-2", "CC-BY-SA-4.0", "UNLICENSED", "none", ""])(
    "%s is none",
    (expression) => expect(isPermissive(expression)).toBe(false),
  );
});

describe("a Debian copyright file", () => {
  const file = readCopyright(
    [
      "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/",
      "",
      "Files: *",
      "Copyright: some",
      "License: Expat",
      "",
      "Files: lib/borrowed/*",
      " docs/book.md",
      "Copyright: others",
      "License: GPL-3+",
      " text of it",
      "",
      "Files: lib/borrowed/tiny.c",
      "Copyright: others",
      "License: ISC",
    ].join("\n"),
  );

  it("gives each file the licence of the last stanza that names it", () => {
    expect(file?.licence).toBe("Expat");
    expect(file?.licenceOf("src/main.c")).toBe("Expat");
    expect(file?.licenceOf("lib/borrowed/big.c")).toBe("GPL-3+");
    expect(file?.licenceOf("lib/borrowed/tiny.c")).toBe("ISC");
  });

  it("refuses what may be another licence's where the path in the source is not known", () => {
    expect(file?.mayBeRefused("usr/share/ruby/lib/borrowed/big.c")).toBe(true);
    expect(file?.mayBeRefused("usr/share/docs/book.md")).toBe(true);
    expect(file?.mayBeRefused("usr/share/ruby/lib/own.c")).toBe(false);
  });

  it("is nothing to go by where it is prose", () => {
    expect(readCopyright("This package was debianized by someone.\n\nIt is free software.")).toBeUndefined();
  });
});
