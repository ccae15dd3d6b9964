import { z } from "zod";
import { searchCode } from "../../../engine/tools/search-code.ts";
import { declarationText } from "../render.ts";
import { declaration, query, repo } from "../schemas.ts";
import { defineTool } from "../tool.ts";

export const searchCodeTool = defineTool({
  name: "search_code",
  title: "Find declarations by name",
  description:
    "Declarations whose name is, ends in or contains the query: functions, methods, classes, types and so on, with file, lines and signature.",
  input: {
    query: query.describe("a name or a part of one: parseArgs, Parser.parse, ns::read"),
    limit: z.number().optional().describe("declarations, 1 to 100; 20 if not given"),
    repo,
  },
  output: { results: z.array(declaration) },
  handle(service, input) {
    const results = searchCode(service.sql, input);
    const text =
      results.length === 0 ? `No declaration is named like "${input.query}".` : results.map(declarationText).join("\n");
    return { structured: { results }, text };
  },
});
