import type { IndexStatus } from "../../engine/tools/status.ts";

/** The status as lines for a reader; the command line shows the same. */
export function statusText(status: IndexStatus, warnings: readonly string[], error: string | null): string {
  const lines = status.roots.flatMap((root) => {
    const { added, updated, removed, unchanged } = root.last_sync;
    const skipped = Object.entries(root.skipped).map(([reason, group]) => {
      const more = group.files > group.paths.length ? " …" : "";
      return `  skipped, ${reason}: ${group.files} (${group.paths.join(", ")}${more})`;
    });
    return [
      `${root.repo}: ${root.files} files, ${root.units} units, ${root.indexed_at ? `indexed ${root.indexed_at}` : "not complete"}`,
      `  last sync: ${added} added, ${updated} updated, ${removed} removed, ${unchanged} unchanged`,
      ...skipped,
    ];
  });
  const semantic = status.embedder
    ? `vectors: ${status.vectors} of ${status.chunks} chunks (${status.embedder})`
    : "vectors: none; search goes by words and names";
  return [
    ...lines,
    semantic,
    ...(status.summaries > 0 ? [`summaries: ${status.summaries}`] : []),
    ...warnings.map((warning) => `Warning: ${warning}`),
    ...(error ? [`Error: ${error}`] : []),
  ].join("\n");
}
