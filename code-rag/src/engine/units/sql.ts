/** SQL: one unit for each statement, the comments above it included. */

import { docFromComments } from "./doc-comment.ts";
import type { LineIndex } from "./lines.ts";
import { withLineFeeds } from "./lines.ts";
import { signatureOf } from "./signature.ts";
import { bare, statements } from "./sql-statements.ts";
import type { Reference, Span, Unit, UnitKind } from "./unit.ts";
import { toWindows, trimSpan } from "./windows.ts";

const NAME =
  String.raw`((?:[\w$]+|"[^"]+"|` +
  "`[^`]+`" +
  String.raw`|\[[^\]]+\])(?:\s*\.\s*(?:[\w$]+|"[^"]+"|` +
  "`[^`]+`" +
  String.raw`|\[[^\]]+\]))*)`;
const CREATED =
  "TABLE|VIEW|FUNCTION|PROCEDURE|PROC|TRIGGER|INDEX|TYPE|DOMAIN|SCHEMA|DATABASE|SEQUENCE|EXTENSION|EVENT|PACKAGE|POLICY|ROLE|USER";
const CREATE = new RegExp(
  String.raw`^CREATE\b(?:\s+(?!(?:${CREATED})\b)[\w=@"'.]+)*?\s+(${CREATED})\b(?:\s+(?:BODY|CONCURRENTLY))?(?:\s+IF\s+NOT\s+EXISTS)?\s+${NAME}`,
  "i",
);
/** The table or other object that any other statement is about. */
const SUBJECT = new RegExp(
  String.raw`^((?:ALTER|DROP|TRUNCATE|COMMENT\s+ON|GRANT|REVOKE|INSERT\s+INTO|UPDATE|DELETE\s+FROM|MERGE\s+INTO|REPLACE\s+INTO|COPY|USE|SET)(?:\s+(?:TABLE|VIEW|INDEX|FUNCTION|TYPE|COLUMN|DATABASE|SCHEMA))?)(?:\s+(?:IF\s+EXISTS|ONLY))*\s+${NAME}`,
  "i",
);
const TABLE_USE = new RegExp(
  String.raw`\b(?:FROM|JOIN|INTO|UPDATE|REFERENCES)\s+(?:ONLY\s+)?(?!(?:ON|OF|SET|STDIN)\b)${NAME}`,
  "gi",
);

const KINDS: Readonly<Record<string, UnitKind>> = {
  TABLE: "table",
  VIEW: "view",
  FUNCTION: "function",
  PROCEDURE: "procedure",
  PROC: "procedure",
  TRIGGER: "trigger",
  INDEX: "index",
  TYPE: "type",
  DOMAIN: "type",
};

/** @param text not empty. */
export function sqlUnits(text: string, lines: LineIndex): Unit[] {
  const spans = statements(withLineFeeds(text));
  // White space after the last statement is its own.
  const owned = spans.map(({ start, end }, at) => ({ start, end: at === spans.length - 1 ? text.length : end }));
  return (owned.length > 0 ? owned : [{ start: 0, end: text.length }]).map((span) => sqlUnit(text, span, lines));
}

function sqlUnit(text: string, span: Span, lines: LineIndex): Unit {
  const { start, end } = trimSpan(text, span);
  const code = bare(text.slice(start, end));
  const codeStart = end - code.length;
  const comment = text.slice(start, codeStart).trim();
  const { kind, name } = nameOf(code);
  return {
    kind,
    name: name.slice(name.lastIndexOf(".") + 1),
    symbol: name,
    signature: signatureOf(code.split(/[\r\n]/, 1)[0]!),
    doc: comment === "" ? "" : docFromComments(comment.match(/--.*|\/\*[\s\S]*\*\//g) ?? []),
    form: "definition",
    startLine: lines.lineAt(start),
    endLine: lines.lineAt(Math.max(start, end - 1)),
    start,
    end,
    parent: -1,
    windows: toWindows(text, [span], lines),
    references: tableUses(text, codeStart, end, lines),
    defines: [],
  };
}

/** `CREATE TABLE app.users` → table `app.users`; `ALTER TABLE users …` → statement `ALTER TABLE users`. */
function nameOf(code: string): { kind: UnitKind; name: string } {
  const created = CREATE.exec(code);
  if (created) return { kind: KINDS[created[1]!.toUpperCase()] ?? "statement", name: unquoted(created[2]!) };
  const subject = SUBJECT.exec(code);
  if (subject)
    return { kind: "statement", name: `${subject[1]!.toUpperCase().replace(/\s+/g, " ")} ${unquoted(subject[2]!)}` };
  return { kind: "statement", name: /^\w+/.exec(code)?.[0].toUpperCase() ?? "" };
}

function unquoted(name: string): string {
  return name.replace(/\s*\.\s*/g, ".").replace(/["`[\]]/g, "");
}

function tableUses(text: string, start: number, end: number, lines: LineIndex): Reference[] {
  const uses = [...text.slice(start, end).matchAll(TABLE_USE)].map((match): Reference => {
    const name = unquoted(match[1]!);
    return { kind: "type", name: name.slice(name.lastIndexOf(".") + 1), line: lines.lineAt(start + match.index) };
  });
  return uses.filter((use, at) => uses.findIndex(({ name, line }) => name === use.name && line === use.line) === at);
}
