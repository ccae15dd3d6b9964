/** The words of a comment, without its signs. */

/** Comment signs at the ends of a block, and at the start of each line inside it. */
const OPENING = /^\s*(?:\/\*[*!]*|\/\/[/!]*|#+!?|--+|<!--|"""|'''|;+)\s?/;
const CLOSING = /\s*(?:\*+\/|-->|"""|''')\s*$/;
const LINE_SIGN = /^\s*(?:\/\/[/!]*|\*(?!\/)|#+|--+)\s?/;

/** @param raw the comments as they stand in the file, in order. */
export function docFromComments(raw: readonly string[]): string {
  return tidy(
    raw.map((comment) => {
      const isBlock = /^\s*(?:\/\*|<!--)/.test(comment);
      const lines = comment
        .replace(CLOSING, "")
        .replace(OPENING, "")
        .split(/\r\n?|\n/);
      return lines.map((line, at) => (at === 0 && isBlock ? line : line.replace(LINE_SIGN, ""))).join("\n");
    }),
  );
}

/** A docstring: the literal's prefix and quotes go, and the indentation that its lines share. */
export function docFromString(raw: string): string {
  const inner = raw.replace(/^[a-zA-Z]*("""|'''|"|')/, "").replace(/("""|'''|"|')$/, "");
  return tidy([
    inner
      .split(/\r\n?|\n/)
      .map((line) => line.trim())
      .join("\n"),
  ]);
}

function tidy(parts: readonly string[]): string {
  return parts
    .join("\n")
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => !/^[-=*#/~_]{4,}$/.test(line.trim()))
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}
