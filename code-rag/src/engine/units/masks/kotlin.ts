/** What the Kotlin grammar misreads, with and without an ERROR node to show for it. */

/** An annotation alone on its line or lines: two of them above a class and the class is an expression. */
const ANNOTATION =
  /^([ \t]*)(@(?:\w+:)?[\w.]+(?:\((?:[^()"]|"(?:\\.|[^"\\\n])*"|\([^()]*\))*\))?)(?=[ \t]*(?:\/\/.*)?\r?$)/gm;

/** `fun interface F`: the modifier is not known. The keyword moves to its place. */
const FUN_INTERFACE = /\bfun([ \t]+)interface\b/g;

/** Annotations become comments of the same length, so that they still lead what they annotate. */
export function kotlinMask(text: string): string {
  return text
    .replace(ANNOTATION, (_, indent: string, annotation: string) => indent + asComment(annotation))
    .replace(FUN_INTERFACE, "interface$1   ");
}

function asComment(annotation: string): string {
  if (annotation.length >= 4) return `/*${annotation.slice(2, -2).replaceAll("*/", "  ")}*/`;
  return `//${annotation.slice(2)}`;
}

/** A body on one line needs its last statement ended before the brace; soft keywords may be names. */
const ONE_LINE_BODY = /([^\s{};]) \}/g;
const SOFT_KEYWORD_NAME =
  /(\bfun\s+(?:<[^>]*>\s*)?)(suspend|inline|open|data|value|inner|operator|infix|override|internal|external|annotation)(?=\s*\()/g;

export function kotlinRepair(text: string): string {
  return text
    .replace(ONE_LINE_BODY, "$1;}")
    .replace(SOFT_KEYWORD_NAME, (_, before: string, name: string) => before + "n".repeat(name.length));
}
