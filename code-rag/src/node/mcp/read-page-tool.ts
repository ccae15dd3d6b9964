import { z } from "zod";
import { PAGE_LINES, readPage } from "../files/read-page.ts";
import { page, repo } from "./schemas.ts";
import { defineTool, type Tool } from "./tool.ts";

interface ReadPageTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The tool whose answers name the files. */
  readonly listedBy: string;
}

/** Makes a tool that reads a file of the index, a page of numbered lines at a time. */
export function readPageTool({ listedBy, ...words }: ReadPageTool): Tool {
  return defineTool({
    ...words,
    input: {
      path: z.string().max(4_096).describe(`as ${listedBy} and search results show it`),
      offset: z.number().optional().describe("first line, from 1"),
      limit: z.number().optional().describe(`lines, 1 to ${PAGE_LINES}`),
      repo,
    },
    output: page,
    async handle(service, input) {
      const result = await readPage(service.sql, input);
      const more =
        result.next_offset === null ? "" : `\n(more from line ${result.next_offset} of ${result.total_lines})`;
      return { structured: result, text: `${result.path}\n${result.text}${more}` };
    },
  });
}
