/**
 * Macros that stand where C and C++ allow no name. By custom they are written in capitals, which is all that a parser
 * without a preprocessor can go by.
 */

import { blank } from "./blank.ts";

/** `ABSL_NAMESPACE_BEGIN`, `Q_OBJECT`, `GENERATED_BODY()`: alone on a line, without `;`. */
const LONE_LINE = /^[ \t]*[A-Z][A-Z0-9_]{3,}[ \t]*(?:\([^()\n]*\))?[ \t]*(?=(?:\/\/.*)?\r?$)/gm;

/** `class LIB_API Gauge : public Base {` is read as a function. Between `class` and the name nothing else is in capitals. */
const EXPORTED_TYPE =
  /\b(class|struct|union|enum(?:\s+(?:class|struct))?)(\s+)([A-Z_][A-Z0-9_]*(?:\s*\([^()\n]*\))?)(?=\s+[A-Za-z_][\w:]*(?:<[^{};]*>)?(?:\s+final)?\s*[:{])/g;

/** `LUA_API lua_State *open(…`: before a type and a name. */
const SPECIFIER =
  /^([ \t]*(?:(?:static|inline|extern|const|virtual)[ \t]+)*)([A-Z][A-Z0-9_]{2,}(?:\([^()\n]*\))?)(?=[ \t]+[A-Za-z_][\w:]*(?:<[^<>;{}]*>)?(?:\s+[*&]*|\s*[*&]+)\s*[A-Za-z_~])/gm;

/** `int f() NO_THREAD_SAFETY(mu) {`: between the parameters and the body, or the end. */
const ATTRIBUTE =
  /(\)(?:\s*(?:const|noexcept|override|final))*\s*)([A-Z][A-Z0-9_]{3,}(?:\([^()\n]*\))?)(?=\s*(?:[{;]|const\b|noexcept\b|override\b|[A-Z][A-Z0-9_]{3,}))/g;

/** Right wherever they match: done before the first reading. */
export function withoutLoneMacros(text: string): string {
  return text
    .replace(LONE_LINE, (line: string, at: number) =>
      isBetweenStatements(text, at, at + line.length) ? blank(line) : line,
    )
    .replace(EXPORTED_TYPE, (_, keyword: string, space: string, macro: string) => keyword + space + blank(macro));
}

/** Mostly right: done where the first reading has errors. */
export function withoutMacros(text: string): string {
  return text
    .replace(SPECIFIER, (_, before: string, macro: string) => before + blank(macro))
    .replace(ATTRIBUTE, (_, before: string, macro: string) => before + blank(macro))
    .replace(ATTRIBUTE, (_, before: string, macro: string) => before + blank(macro));
}

/** Not the last line of an enumeration, of an argument list or of an expression. */
function isBetweenStatements(text: string, start: number, end: number): boolean {
  const next = /^\s*(\S?)/.exec(text.slice(end, end + 200))![1]!;
  if (/[,)=.?+\-|&[<>]/.test(next)) return false;
  const above = text.slice(Math.max(0, start - 400), start).trimEnd();
  const line = above
    .slice(above.lastIndexOf("\n") + 1)
    .replace(/(?<=.)\/\/.*/, "")
    .trim();
  if (line === "" || /^(?:\/\/|#|\*)|\*\/$/.test(line)) return true;
  const previous = line.at(-1)!;
  return previous === "{" ? next !== "}" : /[;}:>)]/.test(previous) || /^[A-Z][A-Z0-9_]{3,}(?:\([^()]*\))?$/.test(line);
}
