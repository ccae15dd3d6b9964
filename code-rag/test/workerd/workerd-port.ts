import { Language, Parser } from "web-tree-sitter";
import runtimeWasm from "web-tree-sitter/web-tree-sitter.wasm";
import type { ParsePort } from "../../src/engine/units/parse-port.ts";
import { createTreeSitterPort } from "../../src/engine/units/tree-sitter.ts";
import { GRAMMAR_MODULES } from "./grammars.ts";

/** The parser in workerd, where code cannot be compiled at run time: modules come in with the bundle. */
export async function createWorkerdPort(): Promise<ParsePort> {
  // Otherwise the runtime's glue takes nodejs_compat for Node and looks for its file.
  (globalThis as { process?: { type?: string } }).process!.type = "renderer";
  await Parser.init({
    instantiateWasm(
      imports: WebAssembly.Imports,
      done: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
    ) {
      const instance = new WebAssembly.Instance(runtimeWasm, imports);
      done(instance, runtimeWasm);
      return instance.exports;
    },
  });
  return createTreeSitterPort((grammar) => Language.loadSync(GRAMMAR_MODULES[grammar]));
}
