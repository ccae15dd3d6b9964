/**
 * Which licences are permissive, and what a Debian copyright file says about each file.
 *
 * https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/ : stanzas of `Files:` (globs) and `License:`; of
 * several that match a file, the last one holds.
 */

/** `Go` is Debian's name for the licence of Go, which is BSD's. */
const PERMISSIVE =
  /^(?:mit|expat|x11|isc|0bsd|bsd|zlib|libpng|curl|ruby|postgresql|apache(?:-?2|-?1\.1|$)|bsl-1|boost|psf|python|unlicense$|public-domain|cc0|artistic-2|blueoak|wtfpl|nginx|openssl|unicode|ijg|hpnd|go$)/i;

/**
 * Whether a licence expression allows use without conditions on derived works: every part of an "and", one part of an
 * "or". Parentheses are read as if they were not there, which only refuses more.
 */
export function isPermissive(expression: string): boolean {
  const alternatives = expression.replace(/[()]/g, " ").split(/\s+(?:or|\/)\s+|\|/i);
  return alternatives.some((alternative) =>
    alternative
      .split(/\s+and\s+|,/i)
      .map((part) => part.trim())
      .every((part) => PERMISSIVE.test(part)),
  );
}

interface Stanza {
  readonly patterns: readonly RegExp[];
  readonly licence: string;
}

export interface CopyrightFile {
  /** Licence of the package as a whole (`Files: *`). */
  readonly licence: string;
  licenceOf(path: string): string;
  /**
   * Whether a file may be under a licence that is not permissive, where its path inside the source is not known: any of
   * its trailing parts is taken for that path.
   */
  mayBeRefused(path: string): boolean;
}

/** Reads a machine-readable copyright file; undefined for one that is prose. */
export function readCopyright(text: string): CopyrightFile | undefined {
  const stanzas: Stanza[] = [];
  for (const paragraph of text.split(/\n[ \t]*\n/)) {
    const files = field(paragraph, "Files");
    const licence = field(paragraph, "License")?.split("\n")[0]?.trim();
    if (!files || !licence) continue;
    stanzas.push({ patterns: files.split(/\s+/).filter(Boolean).map(globPattern), licence });
  }
  const main = stanzas.find((stanza) => stanza.patterns.some((pattern) => pattern.test("any/file")));
  if (!main) return undefined;
  const refused = stanzas.filter(({ licence }) => !isPermissive(licence)).flatMap(({ patterns }) => patterns);
  return {
    licence: main.licence,
    mayBeRefused: (path) => {
      const parts = path.split("/");
      const tails = parts.map((_, index) => parts.slice(index).join("/"));
      return refused.some((pattern) => tails.some((tail) => pattern.test(tail)));
    },
    licenceOf: (path) =>
      stanzas.findLast((stanza) => stanza.patterns.some((pattern) => pattern.test(path)))?.licence ?? "",
  };
}

/** A field's value, its continuation lines included. */
function field(paragraph: string, name: string): string | undefined {
  return new RegExp(`^${name}:((?:.*\\n?)(?:[ \\t].*\\n?)*)`, "m").exec(paragraph)?.[1]?.trim();
}

/** `*` and `?` match slashes as well, as the format has it. */
function globPattern(glob: string): RegExp {
  const escaped = glob
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replace(/\*/g, ".*")
    .replace(/\?/g, ".");
  return new RegExp(`^${escaped}$`);
}
