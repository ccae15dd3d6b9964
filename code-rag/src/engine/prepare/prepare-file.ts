/**
 * Everything that the index stores of a file, computed before the database is touched: units with their identities, and
 * the terms of every text. It needs no database, so a host may run it on other threads while one thread writes.
 */

import { TEXT_KINDS } from "../declaration.ts";
import type { StaticEmbedder } from "../embedding/static-table.ts";
import { fileRole } from "../files/role.ts";
import type { Digest } from "../ports.ts";
import type { IndexedFile } from "../store/files.ts";
import { termStream, tokens } from "../tokenize/tokens.ts";
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
  readonly units: readonly PreparedUnit[];
  /** A vector for each chunk, in order, one after the other; absent where chunks are embedded later. */
  readonly vectors?: Int8Array;
}

/** Identity of a unit: everything that search or a summary sees, and nothing about where it stands. */
export function unitHash(unit: Unit, digest: Digest): string {
  return digest([unit.kind, unit.symbol, unit.signature, unit.doc, unit.defines.join(" "), ownedText(unit)].join("\0"));
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
  const vectors: Int8Array[] = [];
  const units = found.units.map((unit) => prepareUnit(unit, digest, embedder, vectors));
  return {
    hash,
    language: found.language,
    quality: found.quality,
    role: fileRole(file.path, definesSomething(found)),
    lines: units.reduce((last, unit) => Math.max(last, unit.endLine), 0),
    characters: file.text.length,
    pathTerms: termStream(tokens(file.path)),
    units,
    ...(embedder ? { vectors: joined(vectors, embedder.dimensions) } : {}),
  };
}

/** Adds a vector for each of its chunks to `vectors`. */
function prepareUnit(
  unit: Unit,
  digest: Digest,
  embedder: StaticEmbedder | undefined,
  vectors: Int8Array[],
): PreparedUnit {
  const hash = unitHash(unit, digest);
  const defines = unit.defines.join(" ");
  const symbol = tokens(unit.symbol);
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
    nameTerms: termStream([...symbol, ...tokens(defines)]),
    docTerms: termStream(doc),
    references: unit.references,
    chunks: unit.windows.map(({ startLine, endLine, text }, ordinal) => {
      const body = tokens(text);
      // The same tokens in the same order as those of `embeddingInput`.
      if (embedder) vectors.push(embedder.embedTokens([...symbol, ...doc, ...body]));
      return { hash: digest(`${hash}\0${ordinal}`), startLine, endLine, text, terms: termStream(body) };
    }),
  };
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
