import { readPageTool } from "../read-page-tool.ts";

export const readDocTool = readPageTool({
  name: "read_doc",
  title: "Read a document",
  description: "Text of a documentation file with line numbers, 500 lines a page; next_offset asks for the next one.",
  listedBy: "list_docs",
});
