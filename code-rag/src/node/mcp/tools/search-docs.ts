import { z } from "zod";
import { searchDocs } from "../../../engine/tools/search-docs.ts";
import { query, repo } from "../schemas.ts";
import { defineTool } from "../tool.ts";

export const searchDocsTool = defineTool({
  name: "search_docs",
  title: "Search documentation",
  description:
    "Up to eight passages of the repositories' Markdown, best first, with their heading trail. Needs no model.",
  input: { query, repo },
  output: {
    results: z.array(
      z.object({
        path: z.string(),
        heading: z.string(),
        line: z.number().int(),
        end_line: z.number().int(),
        score: z.number(),
        snippet: z.string(),
      }),
    ),
  },
  async handle(service, input) {
    const results = await searchDocs(service.engine, input.query, input.repo);
    const text = results
      .map((passage) => `${passage.path}:${passage.line} ${passage.heading}\n${passage.snippet}`)
      .join("\n\n---\n\n");
    return { structured: { results }, text: text || "No documentation matches." };
  },
});
