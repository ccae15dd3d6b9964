/** Which declaration is inside which, with the comments that belong to it, its final kind and its qualified name. */

import { type Declaration, type Found, type Lead, outerFirst } from "./declarations.ts";
import type { Span, UnitKind } from "./unit.ts";
import type { UnitQuery } from "./unit-query.ts";
import { trimSpan } from "./windows.ts";

/** A declaration in its place. The span takes in leading comments, attributes and decorators. */
export interface Node extends Span {
  readonly declaration: Declaration;
  readonly kind: UnitKind;
  readonly symbol: string;
  /** What the symbols of units inside it begin with. */
  readonly path: string;
  /** Further names for the same text. */
  readonly aliases: readonly string[];
  /** Index of the node around it, or -1. */
  readonly parent: number;
}

const TYPES: ReadonlySet<UnitKind> = new Set<UnitKind>([
  "class",
  "struct",
  "union",
  "interface",
  "enum",
  "trait",
  "impl",
  "extension",
  "record",
  "object",
  "actor",
  "annotation",
]);

/** What has methods. */
export function isType(kind: UnitKind, language: UnitQuery): boolean {
  return TYPES.has(kind) || (kind === "module" && language.moduleIsType === true);
}

/** What runs: units inside it are local to it. */
export function isCallable(kind: UnitKind): boolean {
  return kind === "function" || kind === "method" || kind === "constructor";
}

/** Nodes by start, outer before inner. Ranges are nested or apart, never crossing. */
export function nest(text: string, found: Found, language: UnitQuery): Node[] {
  const extents = found.declarations
    .map((declaration) => ({ declaration, ...extentOf(text, declaration, found.leads) }))
    .sort(outerFirst);
  const namespaces = new Set(
    found.declarations.filter(({ kind }) => kind === "namespace").map(({ name }) => lastPart(name, language)),
  );

  const nodes: (Omit<Node, "end" | "aliases"> & { end: number; readonly aliases: string[] })[] = [];
  const open: number[] = [];
  for (const { declaration, start, end } of extents) {
    for (let top = open.at(-1); top !== undefined && nodes[top]!.end <= start; top = open.at(-1)) open.pop();
    // A grammar may let a declaration run into the next one (Scala's indentation): the next one's start is its end.
    for (let top = open.at(-1); top !== undefined && nodes[top]!.end < end; top = open.at(-1)) {
      nodes[top]!.end = trimSpan(text, { start: nodes[top]!.start, end: start }).end;
      open.pop();
    }
    const parent = open.at(-1) ?? -1;
    const outer = nodes[parent];
    if (declaration.memberOnly && !(outer && isType(outer.kind, language))) continue;
    // `Point p(x);` inside a function reads like a prototype.
    if (declaration.form === "declaration" && outer && isCallable(outer.kind)) continue;
    // Two names for one range (`typedef struct {…} ring, *ring_ptr;`): the first stands for both. A second name of
    // a function is none: Swift's tree has default values level with the name.
    if (outer && outer.start === start && outer.end === end) {
      if (!isCallable(outer.kind)) nodes[parent]!.aliases.push(declaration.name);
      continue;
    }

    const outerPath = outer?.path ?? fileScope(found, declaration);
    const outerKind = outer?.kind ?? "namespace";
    const kind = refineKind(declaration, outer, namespaces, language);
    const owned =
      declaration.owner === "" ? outerPath : join(outerPath, language.separator(outerKind, "class"), declaration.owner);
    const separator = language.separator(declaration.owner === "" ? outerKind : "class", kind);
    const symbol = join(owned, separator, declaration.name);
    nodes.push({
      declaration,
      aliases: [],
      kind,
      symbol,
      path: kind === "impl" ? join(outerPath, separator, declaration.scope) : symbol,
      parent,
      start,
      end,
    });
    open.push(nodes.length - 1);
  }
  return nodes;
}

function join(path: string, separator: string, name: string): string {
  return path === "" ? name : `${path}${separator}${name}`;
}

function fileScope({ fileScope }: Found, { start }: Declaration): string {
  return fileScope && fileScope.at < start ? fileScope.name : "";
}

function lastPart(name: string, { qualifier }: UnitQuery): string {
  const at = qualifier === undefined ? -1 : name.lastIndexOf(qualifier);
  return qualifier === undefined || at < 0 ? name : name.slice(at + qualifier.length);
}

/** A function inside a type, or qualified with one, is a method, and perhaps a constructor. */
function refineKind(
  { kind, owner, name }: Declaration,
  outer: Node | undefined,
  namespaces: ReadonlySet<string>,
  language: UnitQuery,
): UnitKind {
  if (kind !== "function" && kind !== "method") return kind;
  const ownerName = owner === "" ? "" : lastPart(owner, language);
  const inType = outer !== undefined && isType(outer.kind, language);
  if (kind === "function" && !inType && (ownerName === "" || namespaces.has(ownerName))) return "function";
  const typeName = ownerName !== "" ? ownerName : (outer?.declaration.scope ?? "");
  return language.isConstructor?.(name, typeName) ? "constructor" : "method";
}

/** The declaration's range without white space at its ends, and with what leads it. */
function extentOf(text: string, declaration: Declaration, leads: readonly Lead[]): Span {
  const { start, end } = trimSpan(text, declaration);
  return { start: leadStart(text, start, leads), end };
}

/**
 * Comments and attributes lead a declaration if nothing but white space stands between, no blank line, and if they are
 * indented like it: a last comment inside the function above is not the first comment of this one.
 */
function leadStart(text: string, start: number, leads: readonly Lead[]): number {
  const indentation = lineIndentation(text, start);
  let first = start;
  for (let at = lastEndingBefore(leads, start); at >= 0; at--) {
    const lead = leads[at]!;
    const gap = text.slice(lead.end, first);
    if (gap.trim() !== "") break;
    const lineBreaks = gap.match(/\r\n?|\n/g)?.length ?? 0;
    if (lineBreaks > 1) break;
    if (lineBreaks === 1 && lineIndentation(text, lead.start) !== indentation) break;
    first = lead.start;
  }
  return first;
}

/** White space before `offset` on its line; undefined if anything else stands there. */
function lineIndentation(text: string, offset: number): string | undefined {
  let start = offset;
  while (text[start - 1] === " " || text[start - 1] === "\t") start--;
  const before = text[start - 1];
  return before === undefined || before === "\n" || before === "\r" ? text.slice(start, offset) : undefined;
}

function lastEndingBefore(leads: readonly Lead[], offset: number): number {
  let low = 0;
  let high = leads.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (leads[middle]!.end <= offset) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
