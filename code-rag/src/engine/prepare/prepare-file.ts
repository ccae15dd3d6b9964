/**
 * Everything that the index stores of a file, computed before the database is touched: units with their identities, and
 * the terms of every text. It needs no database, so a host may run it on other threads while one thread writes.
 */

import { TEXT_KINDS } from "../declaration.ts";
import { fileRole } from "../files/role.ts";
import type { Digest, Embedder } from "../ports.ts";
import type { IndexedFile } from "../store/files.ts";
import { identifiers, terms, termsOf } from "../tokenize/tokens.ts";
import { type FileUnits, ownedText, type Reference, type SourceFile, type Unit } from "../units/unit.ts";
import { embeddingInput } from "./embedding-input.ts";

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

/**
 * @param hash of the file's text.
 * @param embedder makes the chunks' vectors as well; only for embedders that ask no service.
 */
export async function prepareFile(
  file: SourceFile,
  hash: string,
  found: FileUnits,
  digest: Digest,
  embedder?: Embedder,
): Promise<PreparedFile> {
  const written = new Set<string>();
  const names = new Set<string>();
  const units = found.units.map((unit) => prepareUnit(unit, digest, written, names));
  return {
    hash,
    language: found.language,
    quality: found.quality,
    role: fileRole(file.path, definesSomething(found)),
    lines: units.reduce((last, unit) => Math.max(last, unit.endLine), 0),
    characters: file.text.length,
    pathTerms: terms(file.path).join(" "),
    nameTerms: [...names].join(" "),
    bodyTerms: distinctTerms(written),
    units,
    ...(embedder ? { vectors: await vectorsOf(units, embedder) } : {}),
  };
}

/** Adds the unit's identifiers to `written`, and the terms of its names to `names`. */
function prepareUnit(unit: Unit, digest: Digest, written: Set<string>, names: Set<string>): PreparedUnit {
  const hash = unitHash(unit, digest);
  const defines = unit.defines.join(" ");
  const nameTerms = [...terms(unit.symbol), ...terms(defines)];
  for (const term of nameTerms) names.add(term);
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
    nameTerms: nameTerms.join(" "),
    docTerms: terms(unit.doc).join(" "),
    references: unit.references,
    chunks: unit.windows.map(({ startLine, endLine, text }, ordinal) => {
      const found = identifiers(text);
      for (const identifier of found) written.add(identifier);
      return { hash: digest(`${hash}\0${ordinal}`), startLine, endLine, text, terms: termsOf(found).join(" ") };
    }),
  };
}

/** A repeated identifier costs one look-up in `written` and nothing here. */
function distinctTerms(written: ReadonlySet<string>): string {
  return [...new Set(termsOf(written))].join(" ");
}

async function vectorsOf(units: readonly PreparedUnit[], embedder: Embedder): Promise<Int8Array> {
  const inputs = units.flatMap((unit) => unit.chunks.map((chunk) => embeddingInput(unit.symbol, unit.doc, chunk.text)));
  const vectors = await embedder.embed(inputs, "document");
  const all = new Int8Array(inputs.length * embedder.dimensions);
  vectors.forEach((vector, at) => {
    all.set(vector, at * embedder.dimensions);
  });
  return all;
}

function definesSomething({ units }: FileUnits): boolean {
  return units.some((unit) => unit.form === "definition" && !TEXT_KINDS.includes(unit.kind));
}
