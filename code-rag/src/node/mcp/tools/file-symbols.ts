import { z } from "zod";
import { fileSymbols } from "../../../engine/tools/file-symbols.ts";
import { CodeRagError } from "../../errors.ts";
import { declarationText } from "../render.ts";
import { declaration, repo } from "../schemas.ts";
import { defineTool } from "../tool.ts";

export const fileSymbolsTool = defineTool({
  name: "file_symbols",
  title: "Outline of a file",
  description:
    "Every declaration of one file in order: kind, qualified name, lines and declaration text; for a document its headings.",
  input: { path: z.string().max(4_096), repo },
  output: { path: z.string(), symbols: z.array(declaration) },
  handle(service, input) {
    const symbols = fileSymbols(service.sql, input.path, input.repo);
    if (!symbols) {
      throw new CodeRagError(
        "not_found",
        `The index has no file ${JSON.stringify(input.path)}. list_sources and list_docs name them.`,
      );
    }
    const path = symbols[0]?.path ?? input.path;
    const text = symbols.length === 0 ? `${path} declares nothing.` : symbols.map(declarationText).join("\n");
    return { structured: { path, symbols }, text };
  },
});
