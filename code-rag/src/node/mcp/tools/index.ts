import type { Tool } from "../tool.ts";
import { askDocsTool } from "./ask-docs.ts";
import { fileSymbolsTool } from "./file-symbols.ts";
import { findReferencesTool } from "./find-references.ts";
import { findRelatedTool } from "./find-related.ts";
import { indexStatusTool } from "./index-status.ts";
import { listDocsTool } from "./list-docs.ts";
import { listSourcesTool } from "./list-sources.ts";
import { readDocTool } from "./read-doc.ts";
import { readSourceTool } from "./read-source.ts";
import { refreshIndexTool } from "./refresh-index.ts";
import { repoInfoTool } from "./repo-info.ts";
import { repoMapTool } from "./repo-map.ts";
import { searchTool } from "./search.ts";
import { searchCodeTool } from "./search-code.ts";
import { searchDocsTool } from "./search-docs.ts";

/** Every tool of the server, in the order in which clients show them. */
export const TOOLS: readonly Tool[] = [
  searchTool,
  searchCodeTool,
  searchDocsTool,
  askDocsTool,
  readSourceTool,
  readDocTool,
  listSourcesTool,
  listDocsTool,
  fileSymbolsTool,
  findReferencesTool,
  findRelatedTool,
  repoMapTool,
  repoInfoTool,
  indexStatusTool,
  refreshIndexTool,
];
