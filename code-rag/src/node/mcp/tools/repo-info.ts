import { z } from "zod";
import { indexStatus } from "../../../engine/tools/status.ts";
import { defineTool } from "../tool.ts";

export const repoInfoTool = defineTool({
  name: "repo_info",
  title: "About the indexed repositories",
  description:
    "Each repository of the index: where it came from, ref, commit, languages by files, and whether it is ready.",
  input: {},
  always: true,
  output: {
    repos: z.array(
      z.object({
        repo: z.string(),
        url: z.string().nullable(),
        ref: z.string().nullable(),
        revision: z.string().nullable(),
        languages: z.record(z.string(), z.number()),
        ready: z.boolean(),
      }),
    ),
    error: z.string().nullable().describe("why the last indexing failed"),
  },
  handle(service) {
    const repos = indexStatus(service.sql).roots.map(({ repo, url, ref, revision, languages, indexed_at }) => {
      return { repo, url, ref, revision, languages: { ...languages }, ready: indexed_at !== null };
    });
    const error = service.lastError ?? null;
    const lines = repos.map((entry) => {
      const languages = Object.entries(entry.languages).map(([language, files]) => `${language} ${files}`);
      const origin = [entry.url, entry.ref, entry.revision?.slice(0, 12)].filter((part) => part).join(" ");
      return `${entry.repo}${origin ? ` (${origin})` : ""}: ${entry.ready ? "ready" : "not ready"}; ${languages.join(", ")}`;
    });
    if (error) lines.push(`Error: ${error}`);
    return { structured: { repos, error }, text: lines.join("\n") || "Nothing is indexed yet." };
  },
});
