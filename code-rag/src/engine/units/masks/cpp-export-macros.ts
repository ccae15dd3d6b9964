/**
 * `class LIB_API Gauge : public Base {` is read as a function by the grammar, since it cannot know that `LIB_API` is
 * a macro. Between `class` and the name nothing else in capitals can stand.
 */

import { blank } from "./blank.ts";

const EXPORT_MACRO =
  /\b(class|struct|union|enum(?:\s+(?:class|struct))?)(\s+)([A-Z_][A-Z0-9_]*(?:\s*\([^()\n]*\))?)(?=\s+[A-Za-z_][\w:]*(?:<[^{};]*>)?(?:\s+final)?\s*[:{])/g;

export function withoutExportMacros(text: string): string {
  return text.replace(
    EXPORT_MACRO,
    (_, keyword: string, space: string, macro: string) => keyword + space + blank(macro),
  );
}
