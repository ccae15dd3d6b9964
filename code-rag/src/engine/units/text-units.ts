/** Files that no grammar splits. */

import type { LineIndex } from "./lines.ts";
import type { SourceFile, Unit, Window } from "./unit.ts";
import { toWindows, trimSpan } from "./windows.ts";

const PLAIN = { signature: "", doc: "", form: "definition", parent: -1, references: [], defines: [] } as const;

/** One unit for each window. */
export function windowUnits(text: string, lines: LineIndex): Unit[] {
  return toWindows(text, [{ start: 0, end: text.length }], lines).map((window) => ({
    ...PLAIN,
    kind: "text",
    name: "",
    symbol: "",
    ...placeOf(text, [window]),
  }));
}

/** One unit for the whole file, named like it. */
export function documentUnit({ path, text }: SourceFile, lines: LineIndex): Unit[] {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const windows = toWindows(text, [{ start: 0, end: text.length }], lines);
  return [{ ...PLAIN, kind: "block", name, symbol: name, ...placeOf(text, windows) }];
}

/** From the first to the last character that is no white space. */
function placeOf(
  text: string,
  windows: readonly Window[],
): Pick<Unit, "startLine" | "endLine" | "start" | "end" | "windows"> {
  const first = windows[0]!;
  const last = windows.at(-1)!;
  const { start, end } = trimSpan(text, { start: first.spans[0]!.start, end: last.spans.at(-1)!.end });
  return { startLine: first.startLine, endLine: last.endLine, start, end, windows };
}
