/**
 * Text to index terms. One function serves documents and queries, so both always meet.
 *
 * An identifier gives the stems of its words, and if it has several its compound as well (`getUserName`,
 * `get_user_name` → `get`, `user`, `name`, `getusername`). Runs of Chinese, Japanese and Korean characters, which have
 * no spaces, give single characters and pairs. Terms hold letters and digits only: whatever the input is, a term is safe to quote
 * in an FTS5 query.
 */

import { splitIdentifier } from "./identifier.ts";
import { stem } from "./stem.ts";

/** Longer runs are data (base64, hashes, minified code), not names. */
const MAX_IDENTIFIER = 64;

const IDENTIFIER_ASCII = /[A-Za-z0-9_$]+/g;
const IDENTIFIER_UNICODE = /[\p{L}\p{M}\p{N}_$]+/gu;
const NON_ASCII = /[^\0-\x7f]/;
const CJK_RUN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+/gu;

/**
 * An identifier or word, and the terms it gives. A spelling has one object for as long as it is in use, so that whoever
 * derives more from it can keep that by identity.
 */
export interface Token {
  /** As written. */
  readonly text: string;
  readonly terms: readonly string[];
  /** The terms, separated by spaces. */
  readonly stream: string;
}

/** The identifiers and words of a text as written, in order. */
export function identifiers(text: string): string[] {
  return text.match(NON_ASCII.test(text) ? IDENTIFIER_UNICODE : IDENTIFIER_ASCII) ?? [];
}

/** The identifiers and words of a text, with repetitions, in order. */
export function tokens(text: string): Token[] {
  return identifiers(text).map(tokenOf);
}

/** Terms of a text, with repetitions, in order. */
export function terms(text: string): readonly string[] {
  const written = identifiers(text);
  if (written.length === 1) return tokenOf(written[0] as string).terms;
  const all: string[] = [];
  for (const identifier of written) all.push(...tokenOf(identifier).terms);
  return all;
}

/** What a word index takes for some tokens: their terms, separated by spaces. */
export function termStream(found: Iterable<Token>): string {
  let stream = "";
  for (const token of found) {
    if (token.stream === "") continue;
    stream = stream === "" ? token.stream : `${stream} ${token.stream}`;
  }
  return stream;
}

const cache = new Map<string, Token>();
/** Identifiers repeat a lot within a repository; the cache is emptied rather than grown. */
const CACHE_ENTRIES = 50_000;

function tokenOf(identifier: string): Token {
  const known = cache.get(identifier);
  if (known) return known;
  const token = newToken(identifier);
  if (cache.size >= CACHE_ENTRIES) cache.clear();
  cache.set(token.text, token);
  return token;
}

function newToken(identifier: string): Token {
  const terms = identifier.length > MAX_IDENTIFIER ? [] : identifierTerms(identifier);
  return { text: identifier, terms, stream: terms.join(" ") };
}

function identifierTerms(identifier: string): string[] {
  return NON_ASCII.test(identifier) ? unicodeTerms(identifier) : asciiTerms(identifier);
}

function asciiTerms(identifier: string): string[] {
  const words = splitIdentifier(identifier);
  const stems = words.map(stem);
  if (words.length < 2) return stems;
  return [...stems, words.join("")];
}

function unicodeTerms(identifier: string): string[] {
  const plain = identifier.normalize("NFKD").replace(/\p{M}/gu, "");
  const result: string[] = [];
  for (const run of plain.match(CJK_RUN) ?? []) {
    const characters = [...run];
    result.push(...characters);
    for (let i = 1; i < characters.length; i++) result.push(`${characters[i - 1]}${characters[i]}`);
  }
  for (const rest of plain.split(CJK_RUN)) result.push(...asciiTerms(rest));
  return result;
}
