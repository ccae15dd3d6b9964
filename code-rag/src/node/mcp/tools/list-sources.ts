import { fileListTool } from "../file-list-tool.ts";

export const listSourcesTool = fileListTool({
  name: "list_sources",
  title: "List source files",
  description: "Files of the index other than documentation by path, 200 a page; cursor asks for the next one.",
  what: "sources",
});
