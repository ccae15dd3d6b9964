import { fileListTool } from "../file-list-tool.ts";

export const listDocsTool = fileListTool({
  name: "list_docs",
  title: "List documents",
  description: "Documentation files (Markdown) of the index by path, 200 a page; cursor asks for the next one.",
  what: "docs",
});
