import { readPageTool } from "../read-page-tool.ts";

export const readSourceTool = readPageTool({
  name: "read_source",
  title: "Read a source file",
  description: "Text of an indexed file with line numbers, 500 lines a page; next_offset asks for the next one.",
  listedBy: "list_sources",
});
