/**
 * The unit: one declaration, section, statement or window of a file, and what is known about it.
 *
 * Two things are told apart, because a reader and an index want different ones:
 * - the *extent* of a declaration (`startLine`…`endLine`, `start`…`end`), leading comment, decorators and nested
 *   declarations included: what an editor would select;
 * - the text that a unit *owns* (`windows`): its extent without what its nested units own. A class owns its header and
 *   its fields, each method owns itself.
 *
 * **Guarantee**: the windows of all units of a file tile it. Every UTF-16 code unit of the text is in exactly one
 * window, whether or not the file parses. Blank lines between two units belong to the one above.
 *
 * A unit may own nothing (`windows` is empty): a method signature in an interface, a function local to a function that
 * fits one window. It is listed and found by name, and its text is read through its `parent`.
 */

/** Every kind of unit, in the words that tools show. */
export const UNIT_KINDS = [
  // Declarations of programming languages.
  "function",
  "method",
  "constructor",
  "class",
  "struct",
  "union",
  "interface",
  "enum",
  "type",
  "trait",
  "impl",
  "extension",
  "namespace",
  "module",
  "record",
  "object",
  "actor",
  "annotation",
  "macro",
  // SQL and configuration.
  "table",
  "view",
  "trigger",
  "index",
  "procedure",
  "statement",
  "block",
  // Prose and the rest.
  "section",
  "metadata",
  "code",
  "text",
] as const;

/**
 * - `code`: code between declarations (imports, constants, statements at top level);
 * - `block`: a block of a configuration language; `metadata`: front matter; `text`: a window of any other text.
 */
export type UnitKind = (typeof UNIT_KINDS)[number];

/** A half-open range of UTF-16 offsets into the file's text. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * A piece of owned text, small enough to be embedded or summarised as one. Lines are 1-based and inclusive. `text` is
 * contiguous in the file, except where nested units were taken out of it: then `spans` has more than one entry, and
 * `text` is their concatenation.
 */
export interface Window {
  readonly startLine: number;
  readonly endLine: number;
  readonly spans: readonly Span[];
  readonly text: string;
}

/** A name used in a unit's owned text, and the line (1-based) where it stands. */
export interface Reference {
  /** `call`: called or constructed; `import`: imported; `extends`: inherited or implemented; `type`: named as a type. */
  readonly kind: "call" | "import" | "extends" | "type";
  /** The last part of the name: `read` for `f.read()`, `Buf` for `app::Buf`; a module path stays whole for imports. */
  readonly name: string;
  readonly line: number;
}

export interface Unit {
  readonly kind: UnitKind;
  /** Own name: `method`, `operator+=`, a heading. Empty for `code` and `text`. */
  readonly name: string;
  /** Qualified name: `Class.method`, `ns::Class::method` in C++, `Guide > Install` for sections. Empty like `name`. */
  readonly symbol: string;
  /** The declaration up to its body, on one line, without comments and decorators; at most 300 characters. */
  readonly signature: string;
  /** Leading comment or docstring, comment signs removed; empty if there is none. */
  readonly doc: string;
  /** `declaration`: without a body (prototype, abstract or interface member). */
  readonly form: "definition" | "declaration";
  /** First and last line of the extent, 1-based, inclusive. */
  readonly startLine: number;
  readonly endLine: number;
  /** The extent as UTF-16 offsets, `end` exclusive. */
  readonly start: number;
  readonly end: number;
  /** Index (in the file's list of units) of the unit around this one, or -1. */
  readonly parent: number;
  /** Text owned by this unit; more than one window where it is large, none where its parent owns it. */
  readonly windows: readonly Window[];
  /** Names used in the owned text, in order, each name once a line. */
  readonly references: readonly Reference[];
  /** Further names that the owned text binds for others to see: constants, fields, enum members. */
  readonly defines: readonly string[];
}

/** The text that a unit owns, as one string: the input of its content hash. */
export function ownedText(unit: Unit): string {
  return unit.windows.map((window) => window.text).join("");
}

export interface SourceFile {
  /** Path inside the repository, with `/`: decides the language. */
  readonly path: string;
  /** Decoded text, byte order mark removed. */
  readonly text: string;
}

/**
 * - `tree`: parsed without an error; `recovered`: with errors, units are still sound but may miss some;
 * - `lines`: split without a syntax tree (Markdown, SQL, other text; a grammar that crashed or ran out of time).
 */
export type ParseQuality = "tree" | "recovered" | "lines";

export interface FileUnits {
  /** Language id from `languages.ts`. */
  readonly language: string;
  readonly quality: ParseQuality;
  /** In order of `start`; a unit comes before the units nested in it. */
  readonly units: readonly Unit[];
}

/** What the index asks for: it hides where parsing runs (worker threads in Node, in place elsewhere). Never rejects for what a file contains. */
export type UnitExtractor = (file: SourceFile) => Promise<FileUnits>;
