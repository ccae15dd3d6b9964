import { beforeAll, describe, expect, test } from "vitest";
import { extractUnits } from "../../engine/units/extract.ts";
import type { ParsePort } from "../../engine/units/parse-port.ts";
import { violations } from "../../engine/units/tiling.ts";
import { WINDOW_CHARACTERS } from "../../engine/units/windows.ts";
import { createNodePort } from "./node-port.ts";

describe("files that are hard to digest", () => {
  let parse: ParsePort;
  beforeAll(async () => {
    parse = await createNodePort();
  });

  const units = (path: string, text: string) => {
    const found = extractUnits({ path, text }, parse);
    expect(violations(text, found.units)).toEqual([]);
    return found.units;
  };

  test("an expression 20,000 levels deep does not overflow the stack", () => {
    const text = `const s = ${Array(20_000).fill('"a"').join("+")};\nfunction after() {}\n`;
    expect(units("deep.js", text).map(({ symbol }) => symbol)).toContain("after");
  });

  test("ten thousand nested functions are found, and only the ones that own text hold windows", () => {
    const depth = 10_000;
    const text = `${"function f() {\n".repeat(depth)}${"}\n".repeat(depth)}`;
    expect(units("nested.js", text).filter(({ kind }) => kind === "function")).toHaveLength(depth);
  });

  test("a long function with a long template literal is windowed by characters", () => {
    const text = `function page() {\n  return \`${"<p>x</p>".repeat(4_500)}\`;\n}\n`;
    const [page] = units("page.js", text);
    expect(page).toMatchObject({ kind: "function", symbol: "page", startLine: 1, endLine: 3 });
    expect(page!.windows.length).toBeGreaterThan(10);
    expect(Math.max(...page!.windows.map((window) => window.text.length))).toBeLessThanOrEqual(WINDOW_CHARACTERS);
  });

  test("a surrogate pair is not cut in two", () => {
    const text = `x = "${"\u{1F600}".repeat(4_000)}"`;
    for (const window of units("emoji.txt", text).flatMap((unit) => unit.windows)) {
      expect(window.text.isWellFormed()).toBe(true);
    }
  });

  test("a fence of Markdown is not split, even where it is longer than a window", () => {
    const fence = `\`\`\`js\n${"const a = 1;\n\n".repeat(400)}\`\`\`\n`;
    const text = `# Title\n\n${"Some prose.\n\n".repeat(300)}${fence}${"More prose.\n\n".repeat(300)}`;
    const windows = units("long.md", text).flatMap((unit) => unit.windows);
    expect(windows.filter((window) => window.text.includes(fence))).toHaveLength(1);
    expect(windows.length).toBeGreaterThan(3);
  });

  test.each(["a.py", "a.ts", "a.cpp", "a.md", "a.sql", "a.yaml", "a.tfvars", "unknown"])(
    "%s may be empty, blank or odd",
    (path) => {
      expect(units(path, "")).toEqual([]);
      for (const text of [
        " ",
        "\n",
        "\r\n\r\n",
        ";",
        "}",
        "\u00e9",
        "\u0000",
        "{".repeat(500),
        "'",
        '"""',
        "```",
        "---",
      ]) {
        expect(
          units(path, text)
            .flatMap((unit) => unit.windows)
            .map((window) => window.text)
            .join(""),
        ).toBe(text);
      }
    },
  );

  test("a text beyond the parser's budget is split by lines", () => {
    const text = "function a() {}\n".repeat(1_000);
    const found = extractUnits({ path: "a.js", text }, { match: () => undefined });
    expect(found.quality).toBe("lines");
    expect(violations(text, found.units)).toEqual([]);
    expect(found.units.length).toBeGreaterThan(3);
  });

  test("a script without extension is known by its #! line", () => {
    const tool = units("bin/tool", "#!/usr/bin/env -S uv run python3.12\ndef probe(): pass\n");
    expect(tool.map(({ kind, symbol, startLine }) => `${kind} ${symbol} ${startLine}`)).toContain("function probe 2");
  });

  test("memory does not grow with the number of files", () => {
    const text = "export class A {\n  m() {\n    return 1;\n  }\n}\n".repeat(50);
    for (let file = 0; file < 200; file++) extractUnits({ path: "a.ts", text }, parse);
    const before = process.memoryUsage().rss;
    for (let file = 0; file < 2_000; file++) extractUnits({ path: "a.ts", text }, parse);
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024);
  }, 120_000);
});
