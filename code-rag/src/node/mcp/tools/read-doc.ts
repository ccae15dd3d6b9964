import { z } from "zod";
import { PAGE_LINES, readPage } from "../../files/read-page.ts";
import { page, repo } from "../schemas.ts";
import { defineTool } from "../tool.ts";

export const readDocTool = defineTool({
  name: "read_doc",
  title: "Read a document",
  description: "Text of a documentation file with line numbers, 500 lines a page; next_offset asks for the next one.",
  input: {
    path: z.string().max(4_096).describe("as list_docs and search results show it"),
    offset: z.number().optional().describe("first line, from 1"),
    limit: z.number().optional().describe(`lines, 1 to ${PAGE_LINES}`),
    repo,
  },
  output: page,
  async handle(service, input) {
    const result = await readPage(service.sql, input);
    const more = result.next_offset === null ? "" : `\n(more from line ${result.next_offset} of ${result.total_lines})`;
    return { structured: result, text: `${result.path}\n${result.text}${more}` };
  },
});
