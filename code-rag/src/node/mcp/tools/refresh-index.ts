import { z } from "zod";
import { defineTool } from "../tool.ts";

export const refreshIndexTool = defineTool({
  name: "refresh_index",
  title: "Refresh the index",
  description:
    "Fetches cloned repositories, looks for changed files and indexes them. Unchanged files cost next to nothing.",
  input: {},
  always: true,
  annotations: { readOnlyHint: false, openWorldHint: true },
  output: {
    roots: z.array(
      z.object({
        root: z.string(),
        files: z.number().int(),
        added: z.number().int(),
        updated: z.number().int(),
        removed: z.number().int(),
        unchanged: z.number().int(),
      }),
    ),
    warnings: z.array(z.string()),
  },
  async handle(service) {
    const report = await service.refresh();
    const lines = report.roots.map(
      (root) =>
        `${root.root}: ${root.added} added, ${root.updated} updated, ${root.removed} removed, ${root.unchanged} unchanged`,
    );
    return {
      structured: { roots: report.roots.map((root) => ({ ...root })), warnings: [...report.warnings] },
      text: [...lines, ...report.warnings.map((warning) => `Warning: ${warning}`)].join("\n") || "Nothing to refresh.",
    };
  },
});
