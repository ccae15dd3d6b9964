/** The guarantee of `unit.ts`, as a check. */

import { LineIndex } from "./lines.ts";
import type { Unit } from "./unit.ts";

/**
 * What is wrong with the units of a text: windows that leave out or repeat text, texts and lines that are not those
 * of their place, parents that do not contain their units. Empty if all is well.
 */
export function violations(text: string, units: readonly Unit[]): string[] {
  const found: string[] = [];
  const lines = new LineIndex(text);
  const spans = units.flatMap(({ windows }) => windows.flatMap((window) => window.spans));
  let at = 0;
  for (const { start, end } of spans.toSorted((a, b) => a.start - b.start)) {
    if (start < at) found.push(`${start}…${Math.min(at, end)} is owned twice`);
    if (start > at) found.push(`${at}…${start} is owned by none`);
    at = Math.max(at, end);
  }
  if (at < text.length) found.push(`${at}…${text.length} is owned by none`);

  units.forEach((unit, index) => {
    const name = `${unit.kind} ${unit.symbol} at line ${unit.startLine}`;
    for (const window of unit.windows) {
      const own = window.spans.map(({ start, end }) => text.slice(start, end)).join("");
      if (own !== window.text) found.push(`${name}: a window's text is not that of its spans`);
      if (window.startLine > window.endLine) found.push(`${name}: a window ends before it starts`);
    }
    if (unit.startLine !== lines.lineAt(unit.start)) found.push(`${name}: startLine is not that of start`);
    if (unit.end > unit.start && unit.endLine !== lines.lineAt(unit.end - 1))
      found.push(`${name}: endLine is not that of end`);
    const parent = units[unit.parent];
    if (unit.parent >= index) found.push(`${name}: comes before its parent`);
    if (parent && (parent.start > unit.start || parent.end < unit.end))
      found.push(`${name}: reaches out of its parent`);
  });
  return found;
}
