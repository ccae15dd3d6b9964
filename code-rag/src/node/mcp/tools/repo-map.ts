import { z } from "zod";
import { repoMap } from "../../../engine/tools/repo-map.ts";
import { declaration, repo } from "../schemas.ts";
import { defineTool } from "../tool.ts";

export const repoMapTool = defineTool({
  name: "repo_map",
  title: "Map of a repository",
  description: "The most central declarations, by file, fitted to a token budget: an overview before the details.",
  input: {
    max_tokens: z.number().optional().describe("200 to 20000; 2000 if not given"),
    focus: z.array(z.string().max(500)).max(50).optional().describe("paths, globs or names that matter more"),
    repo,
  },
  output: { map: z.string(), symbols: z.array(declaration) },
  handle(service, input) {
    const map = repoMap(service.sql, {
      ...(input.max_tokens === undefined ? {} : { maxTokens: input.max_tokens }),
      ...(input.focus ? { focus: input.focus } : {}),
      ...(input.repo ? { repo: input.repo } : {}),
    });
    return {
      structured: { map: map.text, symbols: [...map.symbols] },
      text: map.text || "The index has no declarations yet.",
    };
  },
});
