/** A file's units as text, one line each: for golden lists, and for people who look into what was found. */

import type { FileUnits, Reference, Unit } from "./unit.ts";

/**
 * `10-11  method S.Push  func (s *S[T]) Push(x T)`, and below it, indented, what else is known: documentation, the
 * lines of each window, names that are used and bound.
 */
export function outlineText({ language, quality, units }: FileUnits): string {
  return `${language}, ${quality}\n\n${units.map((unit) => unitText(unit, units)).join("")}`;
}

function unitText(unit: Unit, units: readonly Unit[]): string {
  const what = [unit.form === "declaration" ? `${unit.kind} (declaration)` : unit.kind, unit.symbol, unit.signature];
  const details = [
    unit.parent >= 0 ? `in ${units[unit.parent]!.symbol}` : "",
    unit.doc === "" ? "" : `doc: ${unit.doc.replaceAll("\n", " / ")}`,
    `owns: ${unit.windows.map(({ startLine, endLine }) => range(startLine, endLine)).join(", ") || "nothing"}`,
    ...(["call", "import", "extends", "type"] as const).map((kind) => namesOf(unit.references, kind)),
    unit.defines.length === 0 ? "" : `defines: ${unit.defines.join(" ")}`,
  ];
  const indented = details.filter((detail) => detail !== "").map((detail) => `        ${detail}\n`);
  return `${range(unit.startLine, unit.endLine)}  ${what.filter((part) => part !== "").join("  ")}\n${indented.join("")}`;
}

function range(start: number, end: number): string {
  return start === end ? `${start}` : `${start}-${end}`;
}

function namesOf(references: readonly Reference[], kind: Reference["kind"]): string {
  const names = references.filter((reference) => reference.kind === kind);
  return names.length === 0 ? "" : `${kind}: ${names.map(({ name, line }) => `${name}:${line}`).join(" ")}`;
}
