/**
 * Markdown: one unit for each heading with the text up to the next heading, whatever its level; the levels make the
 * symbol (`Guide > Install`). Front matter is a unit, and so is text before the first heading. Fences are not cut.
 */

import type { LineIndex } from "./lines.ts";
import { type Heading, outline } from "./markdown-outline.ts";
import type { Span, Unit } from "./unit.ts";
import { toWindows, trimSpan } from "./windows.ts";

/** A unit-to-be. `start` is where its extent begins; what it owns may begin before, with a rule or blank lines. */
interface Piece {
  readonly kind: "metadata" | "section" | "text";
  readonly name: string;
  readonly symbol: string;
  readonly start: number;
  readonly owned: { readonly start: number; end: number };
}

/** @param text not empty. */
export function markdownUnits(text: string, lines: LineIndex): Unit[] {
  const { frontMatter, headings, fences } = outline(text);
  return pieces(text, frontMatter, headings).map(({ kind, name, symbol, start, owned }): Unit => {
    const extent = trimSpan(text, { start, end: owned.end });
    return {
      kind,
      name,
      symbol,
      signature:
        kind === "section"
          ? text
              .slice(extent.start, extent.end)
              .split(/[\r\n]/, 1)[0]!
              .trim()
          : "",
      doc: "",
      form: "definition",
      startLine: lines.lineAt(extent.start),
      endLine: lines.lineAt(Math.max(extent.start, extent.end - 1)),
      start: extent.start,
      end: extent.end,
      parent: -1,
      windows: toWindows(text, [owned], lines, fences),
      references: [],
      defines: [],
    };
  });
}

function pieces(text: string, frontMatter: Span | undefined, headings: readonly Heading[]): Piece[] {
  const found: Piece[] = [];
  let from = 0;
  if (frontMatter) {
    const title = /^title\s*[:=]\s*["']?(.+?)["']?\s*$/m.exec(text.slice(0, frontMatter.end))?.[1];
    const name = title ?? "front matter";
    found.push({ kind: "metadata", name, symbol: name, start: 0, owned: { ...frontMatter } });
    from = frontMatter.end;
  }

  const firstHeading = headings[0]?.start ?? text.length;
  const above = found.at(-1);
  if (/[\p{L}\p{N}]/u.test(text.slice(from, firstHeading)) || (!above && headings.length === 0)) {
    found.push({ kind: "text", name: "", symbol: "", start: from, owned: { start: from, end: firstHeading } });
    from = firstHeading;
  } else if (above) {
    above.owned.end = firstHeading;
    from = firstHeading;
  }

  const trail: Heading[] = [];
  headings.forEach((heading, at) => {
    while (trail.length > 0 && trail.at(-1)!.level >= heading.level) trail.pop();
    trail.push(heading);
    found.push({
      kind: "section",
      name: heading.title,
      symbol: trail.map(({ title }) => title).join(" > "),
      start: heading.start,
      owned: { start: at === 0 ? from : heading.start, end: headings[at + 1]?.start ?? text.length },
    });
  });
  return found;
}
