/** The parser in this thread. Threads of a pool each have their own; tests use it as it is. */

import { Language, Parser } from "web-tree-sitter";
import type { ParsePort } from "../../engine/units/parse-port.ts";
import { createTreeSitterPort } from "../../engine/units/tree-sitter.ts";
import { readGrammar } from "./grammar-files.ts";

export async function createNodePort(): Promise<ParsePort> {
  // A crash is thrown as well as printed; what is printed would stand between a server's own lines.
  await Parser.init({ print: () => {}, printErr: () => {} });
  return createTreeSitterPort((grammar) => Language.loadSync(new WebAssembly.Module(readGrammar(grammar))));
}
