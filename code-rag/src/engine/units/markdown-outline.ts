/** What structures a Markdown file: front matter, headings and fences, found line by line as CommonMark has them. */

import type { Span } from "./unit.ts";

export interface Heading {
  readonly start: number;
  /** 1 to 6. */
  readonly level: number;
  /** Without markup. */
  readonly title: string;
}

export interface Outline {
  readonly frontMatter: Span | undefined;
  readonly headings: readonly Heading[];
  /** Fenced code, the lines of the fences included. */
  readonly fences: readonly Span[];
}

interface Line extends Span {
  /** Without the line break. */
  readonly text: string;
}

/** Up to three spaces of indentation; a space or the end of the line after the signs, so `#123` is text. */
const ATX = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))??(?:[ \t]+#+)?[ \t]*$/;
const SETEXT = /^ {0,3}(=+|-+)[ \t]*$/;
const FENCE = /^(?: {0,3}|[ \t]*(?:[-*+]|\d+[.)])[ \t]+|[ \t]+|(?: {0,3}>[ \t]?)+)(`{3,}|~{3,})([^`]*)$/;
/** Lines that end a paragraph, or that a paragraph cannot be made of. */
const NO_PARAGRAPH = /^(?:\s*$| {0,3}>| {0,3}(?:[-*+]|\d+[.)])[ \t]| {4}|\t| {0,3}\||\s*<)/;

export function outline(text: string): Outline {
  const lines = linesOf(text);
  const headings: Heading[] = [];
  const fences: Span[] = [];
  const frontMatter = frontMatterOf(lines);
  let fence: { readonly start: number; readonly sign: string } | undefined;
  let inComment = false;
  /** First line of the paragraph that a setext underline would make a heading. */
  let paragraph: number | undefined;

  for (let at = lines.findIndex(({ start }) => start >= (frontMatter?.end ?? 0)); at >= 0 && at < lines.length; at++) {
    const line = lines[at]!;
    if (fence) {
      if (closesFence(line.text, fence.sign)) {
        fences.push({ start: fence.start, end: line.end });
        fence = undefined;
      }
      continue;
    }
    if (inComment) {
      inComment = !line.text.includes("-->");
      continue;
    }
    const opening = FENCE.exec(line.text);
    if (opening) {
      fence = { start: line.start, sign: opening[1]! };
      paragraph = undefined;
      continue;
    }
    const atx = ATX.exec(line.text);
    const setext = SETEXT.exec(line.text);
    if (atx) {
      headings.push({ start: line.start, level: atx[1]!.length, title: plain(atx[2] ?? "") });
      paragraph = undefined;
    } else if (setext && paragraph !== undefined) {
      const title = lines.slice(paragraph, at).map((one) => one.text.trim());
      headings.push({
        start: lines[paragraph]!.start,
        level: setext[1]!.startsWith("=") ? 1 : 2,
        title: plain(title.join(" ")),
      });
      paragraph = undefined;
    } else if (NO_PARAGRAPH.test(line.text)) {
      paragraph = undefined;
      inComment = opensComment(line.text);
    } else {
      paragraph ??= at;
    }
  }
  // A fence that is never closed runs to the end.
  if (fence) fences.push({ start: fence.start, end: text.length });
  return { frontMatter, headings, fences };
}

function linesOf(text: string): Line[] {
  const lines: Line[] = [];
  for (const match of text.matchAll(/([^\r\n]*)(\r\n?|\n|$)/g)) {
    if (match[0] === "") break;
    lines.push({ start: match.index, end: match.index + match[0].length, text: match[1]! });
  }
  return lines;
}

/**
 * `---` (YAML) or `+++` (TOML) on the first line, closed again, with a key inside. A rule at the top of a file has a
 * blank line after it.
 */
function frontMatterOf(lines: readonly Line[]): Span | undefined {
  const sign = lines[0]?.text.trimEnd();
  if ((sign !== "---" && sign !== "+++") || lines[1]?.text.trim() === "") return undefined;
  const close = lines.findIndex(
    ({ text }, at) => at > 0 && (text.trimEnd() === sign || (sign === "---" && text.trimEnd() === "...")),
  );
  if (close < 0 || !lines.slice(1, close).some(({ text }) => /^["']?[\w.-]+["']?\s*[:=]/.test(text))) return undefined;
  return { start: 0, end: lines[close]!.end };
}

function closesFence(line: string, sign: string): boolean {
  const bare = line.replace(/^[\s>]*/, "").trimEnd();
  return bare.length >= sign.length && bare === sign[0]!.repeat(bare.length);
}

function opensComment(line: string): boolean {
  const at = line.lastIndexOf("<!--");
  return at >= 0 && !line.includes("-->", at);
}

/** `[text](url)` → text; emphasis, code signs, images' and anchors' braces go. */
function plain(title: string): string {
  return title
    .replace(/!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])/g, "$1")
    .replace(/\s*\{#[^}]*\}$/, "")
    .replace(/<[^>]+>/g, "")
    .replace(/`+|\*\*|__/g, "")
    .trim();
}
