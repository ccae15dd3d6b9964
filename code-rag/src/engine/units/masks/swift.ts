/** What is newer than the Swift grammar, or beyond its queries, in words of the same length that it knows. */

/**
 * The grammar gives operator functions a name that only costly patterns reach (a second to compile each): their signs
 * become a word.
 */
const OPERATOR_FUNCTION = /(\bfunc[ \t]+)([^\s\w(`]+)(?=[ \t]*[(<])/g;

/** `#expect(…)`, `#_sourceLocation`: macros read as calls and names, but for those that the grammar has nodes for. */
const MACRO =
  /#(?=_\w|(?!(?:selector|keyPath|available|unavailable|colorLiteral|imageLiteral|fileLiteral)\b)[a-z]\w*(?:[(<]|[ \t]*\{))/g;

/** An access level of Swift 5.9. */
const PACKAGE =
  /\bpackage(?=[ \t]+(?:func|var|let|class|struct|enum|actor|protocol|init|extension|static|final|typealias|subscript)\b)/g;

/** An expression marker of Swift 6.2. */
const UNSAFE = /\bunsafe(?=[ \t]+[A-Za-z_(])/g;

/** `#"a "quoted" word"#`: quotes inside end the string for the grammar. */
const RAW_STRING = /(#+)"(?!"")(?:(?!"\1)[^\r\n])*"\1/g;

/** `throws(Abort)` of Swift 6. */
const TYPED_THROWS = /(\bthrows)(\([\w.]+\))/g;

export function swiftMask(text: string): string {
  return text
    .replace(OPERATOR_FUNCTION, (_, before: string, signs: string) => before + "o".repeat(signs.length))
    .replace(RAW_STRING, (literal) => `"${"s".repeat(literal.length - 2)}"`)
    .replace(TYPED_THROWS, (_, keyword: string, type: string) => keyword + " ".repeat(type.length))
    .replace(MACRO, " ")
    .replace(PACKAGE, "public ")
    .replace(UNSAFE, "      ");
}
