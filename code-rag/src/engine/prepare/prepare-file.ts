/**
 * Everything that the index stores of a file, computed before the database is touched: units with their identities, and
 * the terms of every text. It needs no database, so a host may run it on other threads while one thread writes.
 */

import { TEXT_KINDS } from "../declaration.ts";
import type { StaticEmbedder } from "../embedding/static-table.ts";
import { fileRole } from "../files/role.ts";
import type { Digest } from "../ports.ts";
import type { IndexedFile } from "../store/files.ts";
import { type Token, termStream, tokens } from "../tokenize/tokens.ts";
import { type FileUnits, ownedText, type Reference, type SourceFile, type Unit } from "../units/unit.ts";

/** A window of a unit, as it is searched. */
export interface PreparedChunk {
  readonly hash: string;
  readonly startLine: number;
  readonly endLine: number;
  readonly text: string;
  /** Terms of the text, as the word index takes them. */
  readonly terms: string;
}

export type PreparedUnit = Pick<
  Unit,
  "kind" | "form" | "name" | "symbol" | "signature" | "doc" | "startLine" | "endLine" | "parent"
> & {
  /** Identity of its content. */
  readonly hash: string;
  /** Further names that it binds, separated by spaces. */
  readonly defines: string;
  readonly nameTerms: string;
  readonly docTerms: string;
  readonly references: readonly Reference[];
  readonly chunks: readonly PreparedChunk[];
};

export interface PreparedFile extends Omit<IndexedFile, "extractor"> {
  /** Length of its text, for those who count how much they hold. */
  readonly characters: number;
  readonly pathTerms: string;
  /** Terms of all names in it, and of all its text, each once. */
  readonly nameTerms: string;
  readonly bodyTerms: string;
  readonly units: readonly PreparedUnit[];
  /** A vector for each chunk, in order, one after the other; absent where chunks are embedded later. */
  readonly vectors?: Int8Array;
}

/** Identity of a unit: everything that search or a summary sees, and nothing about where it stands. */
export function unitHash(unit: Unit, digest: Digest): string {
  return digest([unit.kind, unit.symbol, unit.signature, unit.doc, unit.defines.join(" "), ownedText(unit)].join("\0"));
}

/** What the units of a file have in common, collected while they are prepared. */
interface Collected {
  readonly names: Set<string>;
  readonly written: Set<Token>;
  readonly vectors: Int8Array[];
}

/**
 * @param hash of the file's text.
 * @param embedder makes the chunks' vectors as well.
 */
export function prepareFile(
  file: SourceFile,
  hash: string,
  found: FileUnits,
  digest: Digest,
  embedder?: StaticEmbedder,
): PreparedFile {
  const collected: Collected = { names: new Set(), written: new Set(), vectors: [] };
  const units = found.units.map((unit) => prepareUnit(unit, digest, embedder, collected));
  return {
    hash,
    language: found.language,
    quality: found.quality,
    role: fileRole(file.path, definesSomething(found)),
    lines: units.reduce((last, unit) => Math.max(last, unit.endLine), 0),
    characters: file.text.length,
    pathTerms: termStream(tokens(file.path)),
    nameTerms: [...collected.names].join(" "),
    bodyTerms: distinctTerms(collected.written),
    units,
    ...(embedder ? { vectors: joined(collected.vectors, embedder.dimensions) } : {}),
  };
}

function prepareUnit(
  unit: Unit,
  digest: Digest,
  embedder: StaticEmbedder | undefined,
  { names, written, vectors }: Collected,
): PreparedUnit {
  const hash = unitHash(unit, digest);
  const defines = unit.defines.join(" ");
  const symbol = tokens(unit.symbol);
  const nameTokens = [...symbol, ...tokens(defines)];
  for (const { terms } of nameTokens) for (const term of terms) names.add(term);
  const doc = tokens(unit.doc);
  return {
    kind: unit.kind,
    form: unit.form,
    name: unit.name,
    symbol: unit.symbol,
    signature: unit.signature,
    doc: unit.doc,
    startLine: unit.startLine,
    endLine: unit.endLine,
    parent: unit.parent,
    hash,
    defines,
    nameTerms: termStream(nameTokens),
    docTerms: termStream(doc),
    references: unit.references,
    chunks: unit.windows.map(({ startLine, endLine, text }, ordinal) => {
      const body = tokens(text);
      for (const token of body) written.add(token);
      // The same tokens in the same order as those of `embeddingInput`.
      if (embedder) vectors.push(embedder.embedTokens([...symbol, ...doc, ...body]));
      return { hash: digest(`${hash}\0${ordinal}`), startLine, endLine, text, terms: termStream(body) };
    }),
  };
}

/** A repeated identifier costs one look-up in `written` and nothing here. */
function distinctTerms(written: ReadonlySet<Token>): string {
  const distinct = new Set<string>();
  for (const { terms } of written) for (const term of terms) distinct.add(term);
  return [...distinct].join(" ");
}

function joined(vectors: readonly Int8Array[], dimensions: number): Int8Array {
  const all = new Int8Array(vectors.length * dimensions);
  vectors.forEach((vector, at) => {
    all.set(vector, at * dimensions);
  });
  return all;
}

function definesSomething({ units }: FileUnits): boolean {
  return units.some((unit) => unit.form === "definition" && !TEXT_KINDS.includes(unit.kind));
}
