/** Where the grammars are on disk. */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Grammar } from "../../engine/units/languages.ts";

/** `@vscode/tree-sitter-wasm` has the newer grammars; `@cursorless/tree-sitter-wasms` has those that it lacks. */
const VSCODE = "@vscode/tree-sitter-wasm/wasm/tree-sitter-";
const CURSORLESS = "@cursorless/tree-sitter-wasms/out/tree-sitter-";

const GRAMMAR_FILES: Readonly<Record<Grammar, string>> = {
  bash: `${VSCODE}bash.wasm`,
  c: `${CURSORLESS}c.wasm`,
  "c-sharp": `${VSCODE}c-sharp.wasm`,
  cpp: `${VSCODE}cpp.wasm`,
  elixir: `${CURSORLESS}elixir.wasm`,
  go: `${VSCODE}go.wasm`,
  haskell: `${CURSORLESS}haskell.wasm`,
  hcl: `${CURSORLESS}hcl.wasm`,
  java: `${VSCODE}java.wasm`,
  javascript: `${VSCODE}javascript.wasm`,
  kotlin: `${CURSORLESS}kotlin.wasm`,
  lua: `${CURSORLESS}lua.wasm`,
  php: `${VSCODE}php.wasm`,
  python: `${VSCODE}python.wasm`,
  ruby: `${VSCODE}ruby.wasm`,
  rust: `${VSCODE}rust.wasm`,
  scala: `${CURSORLESS}scala.wasm`,
  swift: `${CURSORLESS}swift.wasm`,
  tsx: `${VSCODE}tsx.wasm`,
  typescript: `${VSCODE}typescript.wasm`,
  zig: `${CURSORLESS}zig.wasm`,
};

const { resolve } = createRequire(import.meta.url);

/** @returns the bytes of the grammar's module. */
export function readGrammar(grammar: Grammar): Uint8Array<ArrayBuffer> {
  return new Uint8Array(readFileSync(resolve(GRAMMAR_FILES[grammar])));
}
