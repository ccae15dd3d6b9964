/** From what a query found to the units of a file. */

import type { Found, FoundName, Lead } from "./declarations.ts";
import { docFromComments, docFromString } from "./doc-comment.ts";
import type { LineIndex } from "./lines.ts";
import { type Node, nest } from "./nesting.ts";
import { type Holding, ownership } from "./ownership.ts";
import { signatureOf } from "./signature.ts";
import type { Span, Unit } from "./unit.ts";
import type { UnitQuery } from "./unit-query.ts";
import { toWindows, trimSpan } from "./windows.ts";

/** @param text not empty. */
export function assemble(text: string, found: Found, language: UnitQuery, lines: LineIndex): Unit[] {
  const nodes = nest(text, found, language);
  const holdings = ownership(text, nodes, found.leads, language);
  const indexOfNode = new Map(holdings.map(({ node }, index) => [node, index]));
  const references = groupByOwner(found.references, holdings);
  const defines = groupByOwner(found.defines, holdings);
  const leadAt = new Map(found.leads.map((lead) => [lead.start, lead]));

  return holdings.map(({ node: nodeIndex, spans }, index): Unit => {
    const node = nodes[nodeIndex];
    const extent = node ?? trimSpan(text, { start: spans[0]!.start, end: spans.at(-1)!.end });
    const seen = new Set<string>();
    // What a function binds is seen by nobody else; a constructor may bind fields.
    const isBody = node?.kind === "function" || node?.kind === "method";
    return {
      ...(node ? describe(text, node, leadAt, language) : CODE),
      startLine: lines.lineAt(extent.start),
      endLine: lines.lineAt(Math.max(extent.start, extent.end - 1)),
      start: extent.start,
      end: extent.end,
      parent: node && node.parent >= 0 ? indexOfNode.get(node.parent)! : -1,
      windows: toWindows(text, spans, lines),
      references: (references.get(index) ?? [])
        .map(({ kind, name, at }) => ({ kind, name, line: lines.lineAt(at) }))
        .filter(({ kind, name, line }) => isNew(seen, `${kind} ${line} ${name}`)),
      defines: [
        ...new Set([...(node?.aliases ?? []), ...(isBody ? [] : (defines.get(index) ?? [])).map(({ name }) => name)]),
      ],
    };
  });
}

/** Code between declarations. */
const CODE = { kind: "code", name: "", symbol: "", signature: "", doc: "", form: "definition" } as const;

type Description = Pick<Unit, "kind" | "name" | "symbol" | "signature" | "doc" | "form">;

function describe(
  text: string,
  node: Node,
  leadAt: ReadonlyMap<number, Lead>,
  { docOfAttribute }: UnitQuery,
): Description {
  const { declaration, kind, symbol, start, end } = node;
  const comments: string[] = [];
  let said = "";
  let head = start;
  for (let lead = leadAt.get(head); lead && lead.end < end; lead = leadAt.get(head)) {
    if (lead.isComment) comments.push(text.slice(lead.start, lead.end));
    else said ||= docOfAttribute?.(text.slice(lead.start, lead.end)) ?? "";
    head = trimSpan(text, { start: lead.end, end }).start;
  }
  const bodyStart = declaration.bodyStart > head ? Math.min(declaration.bodyStart, end) : end;
  return {
    kind,
    name: declaration.name,
    symbol,
    signature: signatureOf(text.slice(head, bodyStart)),
    doc: declaration.doc
      ? docFromString(text.slice(declaration.doc.start, declaration.doc.end))
      : said || docFromComments(comments),
    form: declaration.form,
  };
}

/** Sorts names to the unit that owns the text where they stand. */
function groupByOwner<T extends FoundName>(names: readonly T[], holdings: readonly Holding[]): Map<number, T[]> {
  const spans = holdings
    .flatMap(({ spans }, owner) => spans.map((span): Span & { owner: number } => ({ ...span, owner })))
    .sort((a, b) => a.start - b.start);
  const groups = new Map<number, T[]>();
  let at = 0;
  for (const name of names) {
    while (at < spans.length && spans[at]!.end <= name.at) at++;
    const span = spans[at];
    if (!span) break;
    const group = groups.get(span.owner);
    if (group) group.push(name);
    else groups.set(span.owner, [name]);
  }
  return groups;
}

function isNew(seen: Set<string>, key: string): boolean {
  if (seen.has(key)) return false;
  seen.add(key);
  return true;
}
