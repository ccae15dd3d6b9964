import { z } from "zod";
import { indexStatus, type RootStatus } from "../../../engine/tools/status.ts";
import { statusText } from "../status-text.ts";
import { defineTool } from "../tool.ts";

const counts = z.object({
  added: z.number().int(),
  updated: z.number().int(),
  removed: z.number().int(),
  unchanged: z.number().int(),
});

export const indexStatusTool = defineTool({
  name: "index_status",
  title: "State of the index",
  description:
    "Per repository: files, units, when it was last indexed, what the last sync did, and which files are skipped and why; progress while indexing.",
  input: {},
  always: true,
  output: {
    roots: z.array(
      z.object({
        repo: z.string(),
        url: z.string().nullable(),
        ref: z.string().nullable(),
        revision: z.string().nullable(),
        files: z.number().int(),
        units: z.number().int(),
        indexed_at: z.string().nullable(),
        last_sync: counts,
        languages: z.record(z.string(), z.number()),
        skipped: z.record(z.string(), z.object({ files: z.number().int(), paths: z.array(z.string()) })),
      }),
    ),
    embedder: z.string().nullable().describe("model of the vectors; null: search goes by words and names only"),
    vectors: z.number().int(),
    chunks: z.number().int(),
    summaries: z.number().int(),
    warnings: z.array(z.string()),
    error: z.string().nullable(),
  },
  handle(service) {
    const status = indexStatus(service.sql);
    const warnings = [...(service.indexerState?.report?.warnings ?? [])];
    const error = service.lastError ?? null;
    const structured = { ...status, roots: status.roots.map(mutable), warnings, error };
    return { structured, text: statusText(status, warnings, error) };
  },
});

function mutable(root: RootStatus) {
  const skipped = Object.entries(root.skipped).map(([reason, group]) => [
    reason,
    { files: group.files, paths: [...group.paths] },
  ]);
  return {
    ...root,
    last_sync: { ...root.last_sync },
    languages: { ...root.languages },
    skipped: Object.fromEntries(skipped),
  };
}
