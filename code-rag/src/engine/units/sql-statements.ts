/**
 * Where SQL statements end. A small lexer for the dialects at large: quotes, dollar quotes, comments, blocks
 * (`BEGIN … END`), `DELIMITER` (MySQL), `GO` (SQL Server) and the data of `COPY … FROM stdin` (Postgres).
 */

import type { Span } from "./unit.ts";

/** Statements in which `;` ends a line of the body, not the statement. */
const COMPOUND =
  /^(?:CREATE|ALTER)\b[\s\S]*?\b(?:FUNCTION|PROCEDURE|TRIGGER|EVENT|PACKAGE)\b|^(?:BEGIN|DECLARE|DO|IF|WHILE)\b/i;
/** `BEGIN;` and its like open a transaction, not a block. */
const TRANSACTION = /^\s*(?:;|$|(?:TRAN|TRANSACTION|WORK|ISOLATION|READ|NOT|DEFERRED|IMMEDIATE|EXCLUSIVE)\b)/i;
/** `END IF` and its like close what no `BEGIN` opened. */
const END_OF_CONTROL = /^\s+(?:IF|LOOP|WHILE|REPEAT|FOR)\b/i;
const COPY_FROM_STDIN = /^COPY\b[^;]*\bFROM\s+STDIN\b/i;

/** Statements in order, with the comments before them. They lie end to end; white space may follow the last one. */
export function statements(text: string): Span[] {
  const found: Span[] = [];
  let start = 0;
  let depth = 0;
  let delimiter = ";";
  const endAt = (end: number): number => {
    if (text.slice(start, end).trim() !== "") {
      found.push({ start, end });
      start = end;
    }
    depth = 0;
    return end;
  };

  let at = 0;
  while (at < text.length) {
    const hidden = afterHidden(text, at);
    if (hidden > at) {
      at = hidden;
    } else if (text.startsWith(delimiter, at) && (delimiter !== ";" || depth === 0)) {
      at = endAt(afterCopiedData(text, start, at + delimiter.length));
    } else {
      const word = wordAt(text, at);
      const command = word === "" ? undefined : clientCommand(text, at);
      if (command) {
        // The lines of client commands are statements of their own.
        endAt(at);
        at = endAt(at + command.length);
        delimiter = command.delimiter ?? delimiter;
        continue;
      }
      if (/^(?:BEGIN|CASE)$/i.test(word)) {
        const isTransaction = /^BEGIN$/i.test(word) && TRANSACTION.test(text.slice(at + word.length, at + 40));
        if (!isTransaction && COMPOUND.test(bare(text.slice(start, at + word.length)))) depth++;
      } else if (/^END$/i.test(word) && !END_OF_CONTROL.test(text.slice(at + word.length, at + 20))) {
        depth = Math.max(0, depth - 1);
      }
      at += Math.max(1, word.length);
    }
  }
  endAt(text.length);
  return found;
}

/** A statement without the comments before it. */
export function bare(statement: string): string {
  let at = 0;
  for (;;) {
    const start = at + (matchAt(/\s*/y, statement, at)?.length ?? 0);
    const isComment = statement.startsWith("--", start) || statement.startsWith("/*", start);
    at = isComment ? afterHidden(statement, start) : start;
    if (!isComment || at === start) return statement.slice(at);
  }
}

/** Past the comment or quoted text at `at`; `at` if there is none. What is never closed hides nothing. */
function afterHidden(text: string, at: number): number {
  const two = text.slice(at, at + 2);
  if (two === "--") return endOfLine(text, at);
  if (two === "/*") return afterBlockComment(text, at);
  const quote = text[at];
  if (quote === "'" || quote === '"' || quote === "`") return afterQuote(text, at, quote);
  if (quote === "$") {
    const tag = matchAt(/\$(?:[A-Za-z_]\w*)?\$/y, text, at);
    const close = tag ? text.indexOf(tag, at + tag.length) : -1;
    return tag && close >= 0 ? close + tag.length : at;
  }
  return at;
}

/** Block comments nest in the standard. */
function afterBlockComment(text: string, at: number): number {
  const sign = /\/\*|\*\//g;
  sign.lastIndex = at;
  let depth = 0;
  for (let match = sign.exec(text); match; match = sign.exec(text)) {
    depth += match[0] === "/*" ? 1 : -1;
    if (depth === 0) return sign.lastIndex;
  }
  return at;
}

/**
 * A doubled quote stands for itself. So does `\'` in MySQL, while in standard SQL the backslash is a plain character:
 * what follows the quote tells which (`'it\'s'`, but `'C:\', 1`).
 */
function afterQuote(text: string, at: number, quote: string): number {
  for (let close = text.indexOf(quote, at + 1); close >= 0; close = text.indexOf(quote, close + 1)) {
    if (text[close + 1] === quote) close++;
    else if (text[close - 1] !== "\\" || /^\s*(?:[,;)]|$)/.test(text.slice(close + 1, close + 20))) return close + 1;
  }
  return at;
}

/** `DELIMITER //` and `GO`, alone on their line. */
function clientCommand(text: string, at: number): { readonly length: number; readonly delimiter?: string } | undefined {
  if (at > 0 && text[at - 1] !== "\n" && text[at - 1] !== "\r") return undefined;
  const delimiter = matchAt(/DELIMITER[ \t]+\S+[ \t]*(?=\r?\n|$)/iy, text, at);
  if (delimiter) return { length: delimiter.length, delimiter: delimiter.trim().split(/\s+/)[1]! };
  const go = matchAt(/GO[ \t]*(?=\r?\n|$)/iy, text, at);
  return go ? { length: go.length } : undefined;
}

/** The lines after `COPY … FROM stdin;`, up to `\.`, are its data. */
function afterCopiedData(text: string, start: number, end: number): number {
  if (!COPY_FROM_STDIN.test(bare(text.slice(start, end)))) return end;
  const close = matchAt(/[\s\S]*?\n\\\.(?=\r?\n|$)/y, text, end);
  return close ? end + close.length : end;
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}

function wordAt(text: string, at: number): string {
  return matchAt(/[A-Za-z_][\w$]*/y, text, at) ?? "";
}

function matchAt(sticky: RegExp, text: string, at: number): string | undefined {
  sticky.lastIndex = at;
  return sticky.exec(text)?.[0];
}
