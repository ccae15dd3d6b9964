import { z } from "zod";
import { listIndexed } from "../../engine/tools/list-files.ts";
import { globs, repo } from "./schemas.ts";
import { defineTool, type Tool } from "./tool.ts";

interface FileListTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly what: "docs" | "sources";
}

/** Makes a tool that lists files of the index by path, a page at a time. */
export function fileListTool({ what, ...words }: FileListTool): Tool {
  return defineTool({
    ...words,
    input: { globs, cursor: z.string().max(4_096).optional().describe("next_cursor of the page before"), repo },
    output: {
      files: z.array(z.object({ path: z.string(), language: z.string(), lines: z.number().int() })),
      total: z.number().int(),
      next_cursor: z.string().nullable(),
    },
    handle(service, input) {
      const page = listIndexed(service.sql, { what, ...input });
      const lines = page.files.map((file) => `${file.path} (${file.language}, ${file.lines} lines)`);
      const more =
        page.next_cursor === null
          ? ""
          : `\n(${page.total} in all; more with cursor ${JSON.stringify(page.next_cursor)})`;
      return { structured: { ...page, files: [...page.files] }, text: (lines.join("\n") || "No files match.") + more };
    },
  });
}
