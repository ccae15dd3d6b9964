import type { Declaration } from "../../engine/declaration.ts";

/** `src/a.ts:3-9 method Class.name` and the signature below it. */
export function declarationText(declaration: Declaration): string {
  const head = `${place(declaration)} ${declaration.kind} ${declaration.symbol}`.trimEnd();
  return declaration.signature ? `${head}\n    ${declaration.signature}` : head;
}

export function declarationList(title: string, declarations: readonly Declaration[]): string {
  return declarations.length === 0
    ? ""
    : `${title}:\n${declarations.map((item) => `- ${declarationText(item)}`).join("\n")}`;
}

export function place({ path, start_line, end_line }: Pick<Declaration, "path" | "start_line" | "end_line">): string {
  return start_line === end_line ? `${path}:${start_line}` : `${path}:${start_line}-${end_line}`;
}

/** Parts that are not empty, with a blank line between them. */
export function paragraphs(...parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join("\n\n");
}
