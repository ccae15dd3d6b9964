import { z } from "zod";
import { fitTokens } from "../../../engine/search/fit-tokens.ts";
import { MAX_RESULTS, type SearchResult, search } from "../../../engine/search/search.ts";
import { place } from "../render.ts";
import { declaration, globs, query, repo } from "../schemas.ts";
import { defineTool } from "../tool.ts";

export const searchTool = defineTool({
  name: "search",
  title: "Search code and documentation",
  description:
    "Finds the functions, classes, sections and other units of the indexed repositories that answer a question or match " +
    "words, best first, with their source. Start here for vague or exploratory questions; use search_code for a name.",
  input: {
    query: query.describe("a question, a topic or names"),
    top_k: z.number().optional().describe(`results, 1 to ${MAX_RESULTS}; 5 if not given`),
    globs,
    language: z.string().optional().describe("only this language, as repo_info lists them"),
    kind: z.string().optional().describe("only this kind of unit: function, method, class, section …"),
    max_tokens: z.number().optional().describe("budget for the sources of all results together; 6000 if not given"),
    repo,
  },
  output: {
    results: z.array(
      declaration.extend({
        language: z.string(),
        score: z.number(),
        summary: z.string().nullable(),
        source: z.string(),
        why: z.array(z.string()).describe("why it matched"),
      }),
    ),
  },
  async handle(service, input) {
    const found = await search(service.engine, {
      query: input.query,
      ...(input.top_k === undefined ? {} : { topK: input.top_k }),
      ...(input.globs ? { globs: input.globs } : {}),
      ...(input.language ? { language: input.language } : {}),
      ...(input.kind ? { kind: input.kind } : {}),
      ...(input.repo ? { repo: input.repo } : {}),
    });
    const results = fitTokens(found, input.max_tokens);
    const text = results.length === 0 ? "No results." : results.map(resultText).join("\n\n");
    return { structured: { results: results.map((result) => ({ ...result, why: [...result.why] })) }, text };
  },
});

function resultText(result: SearchResult, index: number): string {
  const head = `${index + 1}. ${place(result)} ${result.kind} ${result.symbol}`.trimEnd();
  const why = `   matched: ${result.why.join(", ")}; score ${result.score}`;
  const summary = result.summary ? `\n   ${result.summary}` : "";
  return `${head}\n${why}${summary}\n\`\`\`${result.language}\n${result.source.replace(/\s+$/, "")}\n\`\`\``;
}
