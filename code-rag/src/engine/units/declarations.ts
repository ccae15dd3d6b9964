/** From the matches of a unit query to declarations and references: names read, wrappers applied, doubles merged. */

import type { Capture, Match } from "./parse-port.ts";
import { type Reference, type Span, UNIT_KINDS, type UnitKind } from "./unit.ts";
import type { UnitQuery } from "./unit-query.ts";
import { trimSpan } from "./windows.ts";

export interface Declaration extends Span {
  readonly kind: UnitKind;
  readonly form: "definition" | "declaration";
  /** Counts only directly inside a type or an object. */
  readonly memberOnly: boolean;
  readonly name: string;
  readonly nameStart: number;
  /** What it belongs to by its own words (`S` for `func (s *S) Push`); empty if that is the unit around it. */
  readonly owner: string;
  /** What units inside it are qualified with: the type for an `impl`, else the name. */
  readonly scope: string;
  readonly bodyStart: number;
  readonly doc: Span | undefined;
}

/** A comment or attribute: it belongs to what follows it. */
export interface Lead extends Span {
  readonly isComment: boolean;
}

export interface FoundName {
  readonly name: string;
  readonly at: number;
}

export interface FoundReference extends FoundName {
  readonly kind: Reference["kind"];
}

/** Everything is sorted by position; of declarations that start together, the longer comes first. */
export interface Found {
  readonly declarations: readonly Declaration[];
  readonly leads: readonly Lead[];
  readonly references: readonly FoundReference[];
  readonly defines: readonly FoundName[];
  /** Qualifies every top-level declaration that comes after it (`namespace Geo;`). */
  readonly fileScope: FoundName | undefined;
}

const KINDS: ReadonlySet<string> = new Set(UNIT_KINDS);
const DECLARING: ReadonlySet<string> = new Set(["name", "declarator", "wrapper"]);

/** @param text the original, not the masked one. */
export function readMatches(matches: readonly Match[], text: string, language: UnitQuery): Found {
  const declarations = new Map<string, Declaration>();
  const wrappers = new Map<string, Span>();
  const loose = new LooseCaptures(text, language);
  let fileScope: FoundName | undefined;

  const declaring: Match[] = [];
  for (const match of matches) {
    // Nearly all matches are references: one capture, and done.
    if (match.length > 1 && match.some(({ name }) => DECLARING.has(name))) declaring.push(match);
    else for (const one of match) loose.add(one);
  }
  loose.declared.sort(outerFirst);
  for (const match of declaring) {
    const wrapper = capture(match, "wrapper");
    const wrapped = capture(match, "wrapped");
    const declarator = capture(match, "declarator");
    const name = declarator ? declaredName(declarator, match[0]!.start, loose.declared, text) : nameIn(match);
    const scope = capture(match, "scope");
    if (wrapper && wrapped) {
      // A statement without `;` has the range of what it wraps: nothing to widen, and no way out of a chain.
      if (spanKey(wrapped) !== spanKey(wrapper)) wrappers.set(spanKey(wrapped), wrapper);
    } else if (name && scope) {
      fileScope = { name: readName(text, name, language), at: scope.start };
    } else if (name) {
      addDeclaration(declarations, match, name, text, language);
    }
  }

  const found = [...declarations.values()]
    .map((one) => applyWrappers(withBody(one, loose.bodies), wrappers))
    .sort(outerFirst);
  const nameStarts = new Set([...declarations.values()].map(({ nameStart }) => nameStart));
  // Where a name is bound it is not called, whatever it looks like (Elixir's `def add(x)`).
  const bound = new Set([...nameStarts, ...loose.defines.map(({ at }) => at)]);
  return {
    declarations: language.clauses ? joinClauses(found, text, loose.leads) : found,
    leads: [...loose.leads.values()].sort(byStart),
    references: loose.references.filter(({ kind, at }) => kind !== "call" || !bound.has(at)).sort(byPlace),
    defines: loose.defines.filter(({ at }) => !nameStarts.has(at)).sort(byPlace),
    fileScope,
  };
}

/** Captures that stand for themselves. */
class LooseCaptures {
  readonly leads = new Map<number, Lead>();
  readonly references: FoundReference[] = [];
  readonly defines: FoundName[] = [];
  readonly declared: Capture[] = [];
  /** Start of a body, by its end. */
  readonly bodies = new Map<number, number>();
  readonly #text: string;
  readonly #language: UnitQuery;

  constructor(text: string, language: UnitQuery) {
    this.#text = text;
    this.#language = language;
  }

  add(found: Capture): void {
    const { name: kind, start, end } = found;
    const text = this.#text;
    switch (kind) {
      case "call":
      case "extends":
      case "type":
        this.references.push({ kind, name: text.slice(start, end), at: start });
        break;
      case "import":
        this.references.push({ kind, name: importName(text.slice(start, end)), at: start });
        break;
      case "comment":
      case "attribute":
        if (!isShebang(text, start)) this.leads.set(start, toLead(kind, trimSpan(text, found), text));
        break;
      case "define":
        this.defines.push({ name: readName(text, found, this.#language), at: start });
        break;
      case "declared":
        this.declared.push(found);
        break;
      case "body":
        this.bodies.set(end, Math.min(start, this.bodies.get(end) ?? start));
        break;
    }
  }
}

export function outerFirst(a: Span, b: Span): number {
  return a.start - b.start || b.end - a.end;
}

function byPlace(a: FoundName, b: FoundName): number {
  return a.at - b.at;
}

function byStart(a: Span, b: Span): number {
  return a.start - b.start;
}

/** From the first to the last `@name`. */
function nameIn(match: Match): Capture | undefined {
  const names = match.filter(({ name }) => name === "name");
  return names[0] && { name: "name", start: names[0].start, end: names.at(-1)!.end };
}

function addDeclaration(
  declarations: Map<string, Declaration>,
  match: Match,
  nameCapture: Capture,
  text: string,
  language: UnitQuery,
): void {
  const node = match.find(({ name }) => name === "member" || KINDS.has(name.split(".")[0]!));
  if (!node) return;
  const [kind, form] = node.name.split(".") as [UnitKind | "member", string | undefined];
  const fullName = readName(text, nameCapture, language);
  const { owner, name } = splitQualified(fullName, language.qualifier);
  const ownerCapture = capture(match, "owner");
  const implemented = capture(match, "implements");
  const key = spanKey(nameCapture);
  const known = declarations.get(key);
  declarations.set(key, {
    kind: known?.kind ?? (kind === "member" ? "method" : kind),
    form: form === "declaration" && known?.form !== "definition" ? "declaration" : "definition",
    memberOnly: kind === "member",
    name: implemented
      ? `${readName(text, implemented, language)} for ${fullName}`
      : kind === "namespace"
        ? fullName
        : name,
    nameStart: nameCapture.start,
    owner: ownerCapture ? readName(text, ownerCapture, language) : kind === "namespace" ? "" : owner,
    scope: fullName,
    start: Math.min(node.start, known?.start ?? node.start),
    end: Math.max(node.end, known?.end ?? node.end),
    bodyStart: capture(match, "body")?.start ?? known?.bodyStart ?? node.end,
    doc: capture(match, "doc") ?? known?.doc,
  });
}

/**
 * The function that a C declarator declares; none if it declares a variable. Parenthesised names are pointers to
 * functions: `int (*handler)(int)` declares none, and in `int (*find(int))(int)` it is the inner one, `find`.
 */
function declaredName(
  { start, end }: Span,
  outerStart: number,
  declared: readonly Capture[],
  text: string,
): Capture | undefined {
  for (let at = firstFrom(declared, start); at < declared.length && declared[at]!.start < end; at++) {
    const candidate = declared[at]!;
    // Past an initialiser, only what the initialiser declares can follow.
    if (/[={]/.test(text.slice(start, candidate.start))) return undefined;
    const name = text.slice(candidate.start, candidate.end);
    // `TEST(Find, ReturnsNothing) {`: a macro makes the function, and its arguments make the name.
    if (candidate.start === outerStart && /^[A-Z][A-Z0-9_]*$/.test(name)) return { ...candidate, end };
    if (!/^[(*]/.test(name)) return candidate;
  }
  return undefined;
}

function firstFrom(sorted: readonly Span[], offset: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]!.start < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

function withBody(declaration: Declaration, bodies: ReadonlyMap<number, number>): Declaration {
  const bodyStart = bodies.get(declaration.end);
  const lacksBody = declaration.bodyStart === declaration.end;
  return lacksBody && bodyStart !== undefined && bodyStart > declaration.nameStart
    ? { ...declaration, bodyStart }
    : declaration;
}

function applyWrappers(declaration: Declaration, wrappers: ReadonlyMap<string, Span>): Declaration {
  let span: Span = declaration;
  for (let outer = wrappers.get(spanKey(span)); outer; outer = wrappers.get(spanKey(outer))) span = outer;
  return span === declaration ? declaration : { ...declaration, start: span.start, end: span.end };
}

/** What follows its like, with only comments between, becomes a part of it; what is inside the clauses stays. */
function joinClauses(found: readonly Declaration[], text: string, leads: ReadonlyMap<number, Lead>): Declaration[] {
  const joined: Declaration[] = [];
  /** The declarations that are open, outermost first; of each, where its last member stands in `joined`. */
  const open: { readonly end: number; last: number }[] = [{ end: text.length, last: -1 }];
  for (const declaration of found) {
    while (open.length > 1 && open.at(-1)!.end <= declaration.start) open.pop();
    const around = open.at(-1)!;
    const before = joined[around.last];
    if (before && isClauseOf(before, declaration) && isBridged(before.end, declaration.start, text, leads)) {
      joined[around.last] = {
        ...before,
        end: declaration.end,
        form: declaration.form === "definition" ? "definition" : before.form,
      };
    } else {
      around.last = joined.push(declaration) - 1;
    }
    open.push({ end: declaration.end, last: -1 });
  }
  return joined;
}

function isClauseOf(before: Declaration, next: Declaration): boolean {
  const isCallable = next.kind === "function" || next.kind === "method" || next.kind === "macro";
  return isCallable && before.kind === next.kind && before.name === next.name && before.owner === next.owner;
}

/** Nothing but white space and comments. */
function isBridged(from: number, to: number, text: string, leads: ReadonlyMap<number, Lead>): boolean {
  for (let at = from; ; ) {
    if (text.slice(at, to).trim() === "") return true;
    const lead = leads.get(trimSpan(text, { start: at, end: to }).start);
    if (!lead?.isComment || lead.end > to) return false;
    at = lead.end;
  }
}

function capture(match: Match, wanted: string): Capture | undefined {
  return match.find(({ name }) => name === wanted);
}

function spanKey({ start, end }: Span): string {
  return `${start}:${end}`;
}

/** A mask may have turned an annotation into a comment: the original says what it is. */
function toLead(kind: string, span: Span, text: string): Lead {
  return { ...span, isComment: kind === "comment" && text[span.start] !== "@" };
}

function isShebang(text: string, start: number): boolean {
  return start === 0 && text.startsWith("#!");
}

function readName(text: string, { start, end }: Span, language: UnitQuery): string {
  const name = text.slice(start, end).replace(/\s+/g, " ").trim();
  return language.cleanName?.(name) ?? name.replace(/^(["'`])(.*)\1$/, "$2");
}

function splitQualified(name: string, qualifier: string | undefined): { owner: string; name: string } {
  const at = qualifier === undefined ? -1 : name.lastIndexOf(qualifier);
  if (qualifier === undefined || at <= 0) return { owner: "", name };
  return { owner: name.slice(0, at), name: name.slice(at + qualifier.length) };
}

/** A module path loses its quotes. */
function importName(text: string): string {
  return text.replace(/\s+/g, " ").replace(/^["'`<](.*)["'`>]$/, "$1");
}
