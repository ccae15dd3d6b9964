/** The words of a comment, without its signs. */

const BLOCK = /^(?:\/\*[*!]*|<!--|\{-(?:\s*[|^])?|--\[=*\[)/;
const BLOCK_END = /\s*(?:\*+\/|-->|-\}|\]=*\])$/;
/** Inside a block, each line may begin with a star. */
const STAR = /^[ \t]*(?:\*(?!\/) ?)?/;
const LINE_SIGN = /^[ \t]*(?:\/\/[/!]*|#+!?|--+(?: [|^])?) ?/;
/** Lines for tools, and lines drawn. */
const NO_WORDS = /^(?:go:\w|eslint-|@ts-|prettier-ignore|noqa\b|pylint:|rubocop:|nolint|[-=*#/~_]{4,}$)/i;
/** The tags of .NET's documentation comments. */
const XML_TAG =
  /<\/?(?:summary|remarks|returns|value|para|example|param|typeparam|exception|see|seealso|c|code)\b[^>]*>/g;

/** @param raw the comments as they stand in the file, in order; lines of one comment may be one each. */
export function docFromComments(raw: readonly string[]): string {
  return tidy(raw.flatMap(linesOfComment));
}

/** A docstring: the literal's prefix and quotes go, and so does indentation. */
export function docFromString(raw: string): string {
  const inner = raw.replace(/^[a-zA-Z]*("""|'''|"|')/, "").replace(/("""|'''|"|')$/, "");
  return tidy(splitLines(inner).map((line) => line.trimStart()));
}

function linesOfComment(comment: string): string[] {
  const trimmed = comment.trim();
  if (!BLOCK.test(trimmed)) return splitLines(trimmed).map((line) => line.replace(LINE_SIGN, "").replace(XML_TAG, ""));
  return splitLines(trimmed.replace(BLOCK_END, "").replace(BLOCK, "")).map((line) => line.replace(STAR, ""));
}

function splitLines(text: string): string[] {
  return text.split(/\r\n?|\n/);
}

function tidy(lines: readonly string[]): string {
  return lines
    .map((line) => line.trimEnd())
    .filter((line) => !NO_WORDS.test(line.trim()))
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}
