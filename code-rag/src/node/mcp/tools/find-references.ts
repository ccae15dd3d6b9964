import { z } from "zod";
import { findReferences } from "../../../engine/tools/references.ts";
import { declarationList, paragraphs } from "../render.ts";
import { declaration, repo } from "../schemas.ts";
import { defineTool } from "../tool.ts";

export const findReferencesTool = defineTool({
  name: "find_references",
  title: "Find definitions and uses of a name",
  description:
    "Where a name is defined, and where it is called, imported, inherited or named as a type, with the declaration around each use. Matching is by name.",
  input: {
    symbol: z.string().max(1_000),
    path: z.string().max(4_096).optional().describe("only in this file or below this directory"),
    repo,
  },
  output: {
    definitions: z.array(declaration),
    uses: z.array(
      declaration.extend({
        use: z.enum(["call", "import", "extends", "type"]),
        line: z.number().int().describe("where the name stands; the other fields are about the declaration around it"),
        text: z.string(),
      }),
    ),
    total: z.number().int().describe("uses in all; the first 100 are listed"),
  },
  handle(service, input) {
    const found = findReferences(service.sql, input.symbol, input.path, input.repo);
    const uses = found.uses.map(
      (use) => `- ${use.path}:${use.line} ${use.use}${use.symbol ? ` in ${use.symbol}` : ""}: ${use.text}`,
    );
    const text = paragraphs(
      declarationList("Defined in", found.definitions),
      uses.length === 0 ? "" : `Used in (${found.total}):\n${uses.join("\n")}`,
    );
    return {
      structured: { definitions: [...found.definitions], uses: [...found.uses], total: found.total },
      text: text || `Nothing in the index defines or uses "${input.symbol}".`,
    };
  },
});
