import { resolve } from "node:path";
import { indexStatus } from "../../engine/tools/status.ts";
import { openExistingIndex } from "../host/open-index.ts";
import { statusText } from "../mcp/status-text.ts";
import type { Arguments } from "./arguments.ts";
import { printable } from "./colour.ts";

/** `code-rag status`: what the index holds. */
export function statusCommand(args: Arguments): number {
  const sql = openExistingIndex(resolve(args.db ?? "index.db"));
  try {
    const status = indexStatus(sql);
    console.log(args.json ? JSON.stringify(status) : printable(statusText(status, [], null)));
    return 0;
  } finally {
    sql.close();
  }
}
