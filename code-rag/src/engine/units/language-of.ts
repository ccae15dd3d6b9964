/** The language of a file: by its name, its `#!` line, and for headers by what is in them. */

import { LANGUAGES, type Language, PLAIN_TEXT } from "./languages.ts";
import type { SourceFile } from "./unit.ts";

const byExtension = new Map(
  LANGUAGES.flatMap((language) => language.extensions.map((extension) => [extension, language])),
);
const byFilename = new Map(LANGUAGES.flatMap((language) => (language.filenames ?? []).map((name) => [name, language])));
const byInterpreter = new Map(
  LANGUAGES.flatMap((language) => (language.interpreters ?? []).map((name) => [name, language])),
);

export function languageOf({ path, text }: SourceFile): Language {
  const filename = path.slice(path.lastIndexOf("/") + 1);
  const dotAt = filename.lastIndexOf(".");
  const extension = dotAt < 0 ? "" : filename.slice(dotAt + 1).toLowerCase();
  if (extension === "h" && isCpp(text)) return byExtension.get("hpp")!;
  return (
    byFilename.get(filename) ??
    (dotAt > 0 ? byExtension.get(extension) : undefined) ??
    (dotAt <= 0 ? byShebang(text) : undefined) ??
    PLAIN_TEXT
  );
}

/** `#!/usr/bin/env -S uv run python3.12` → python: the last word that names an interpreter. */
function byShebang(text: string): Language | undefined {
  if (!text.startsWith("#!")) return undefined;
  const line = text.slice(2, text.search(/[\r\n]|$/));
  const words = line.split(/[\s/]+/).map((word) => word.replace(/[\d.]+$/, ""));
  return words.map((word) => byInterpreter.get(word)).findLast((language) => language !== undefined);
}

/** Signs of C++ that C code does not show outside of comments, anywhere in the header. */
const CPP =
  /^[ \t]*(?:template\s*<|namespace\s+[\w:]*\s*\{|using\s+(?:namespace\s+)?\w|(?:public|private|protected)\s*:|class\s+\w[\w\s]*[:{;]|(?:struct|class)\s+\w[\w\s]*:\s*(?:public|private|protected|virtual|[\w:]+(?:<[^;{}]*>)?\s*[,{])|(?:virtual|explicit|constexpr|friend|inline\s+namespace|enum\s+(?:class|struct))\s)|\boperator\s*(?:[-+*/%=<>!&|^~[(]|bool\b)|\w::~?\w|#include\s*<(?:string|vector|map|memory|utility|functional|iostream|cstd\w+)>/m;

function isCpp(text: string): boolean {
  // C headers for both languages say so with `__cplusplus`, around `extern "C" {` and little else.
  return CPP.test(text.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, ""));
}
