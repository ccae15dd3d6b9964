/** Every grammar as a module of the bundle: workerd compiles nothing at run time. */

import c from "@cursorless/tree-sitter-wasms/out/tree-sitter-c.wasm";
import elixir from "@cursorless/tree-sitter-wasms/out/tree-sitter-elixir.wasm";
import haskell from "@cursorless/tree-sitter-wasms/out/tree-sitter-haskell.wasm";
import hcl from "@cursorless/tree-sitter-wasms/out/tree-sitter-hcl.wasm";
import kotlin from "@cursorless/tree-sitter-wasms/out/tree-sitter-kotlin.wasm";
import lua from "@cursorless/tree-sitter-wasms/out/tree-sitter-lua.wasm";
import scala from "@cursorless/tree-sitter-wasms/out/tree-sitter-scala.wasm";
import swift from "@cursorless/tree-sitter-wasms/out/tree-sitter-swift.wasm";
import zig from "@cursorless/tree-sitter-wasms/out/tree-sitter-zig.wasm";
import bash from "@vscode/tree-sitter-wasm/wasm/tree-sitter-bash.wasm";
import csharp from "@vscode/tree-sitter-wasm/wasm/tree-sitter-c-sharp.wasm";
import cpp from "@vscode/tree-sitter-wasm/wasm/tree-sitter-cpp.wasm";
import go from "@vscode/tree-sitter-wasm/wasm/tree-sitter-go.wasm";
import java from "@vscode/tree-sitter-wasm/wasm/tree-sitter-java.wasm";
import javascript from "@vscode/tree-sitter-wasm/wasm/tree-sitter-javascript.wasm";
import php from "@vscode/tree-sitter-wasm/wasm/tree-sitter-php.wasm";
import python from "@vscode/tree-sitter-wasm/wasm/tree-sitter-python.wasm";
import ruby from "@vscode/tree-sitter-wasm/wasm/tree-sitter-ruby.wasm";
import rust from "@vscode/tree-sitter-wasm/wasm/tree-sitter-rust.wasm";
import tsx from "@vscode/tree-sitter-wasm/wasm/tree-sitter-tsx.wasm";
import typescript from "@vscode/tree-sitter-wasm/wasm/tree-sitter-typescript.wasm";
import type { Grammar } from "../../src/engine/units/languages.ts";

export const GRAMMAR_MODULES: Readonly<Record<Grammar, WebAssembly.Module>> = {
  bash,
  c,
  "c-sharp": csharp,
  cpp,
  elixir,
  go,
  haskell,
  hcl,
  java,
  javascript,
  kotlin,
  lua,
  php,
  python,
  ruby,
  rust,
  scala,
  swift,
  tsx,
  typescript,
  zig,
};
