import { z } from "zod";
import { findRelated } from "../../../engine/tools/related.ts";
import { CodeRagError } from "../../errors.ts";
import { declarationList, declarationText, paragraphs } from "../render.ts";
import { declaration, repo } from "../schemas.ts";
import { defineTool } from "../tool.ts";

export const findRelatedTool = defineTool({
  name: "find_related",
  title: "Find related code",
  description: "For the declaration at a line of a file: units like it, who calls it, what it calls, and its tests.",
  input: {
    path: z.string().max(4_096),
    line: z.number().optional().describe("a line of the declaration; without it, the file's largest declaration"),
    repo,
  },
  output: {
    of: declaration,
    similar: z.array(declaration),
    callers: z.array(declaration),
    callees: z.array(declaration),
    tests: z.array(declaration),
  },
  async handle(service, input) {
    const related = await findRelated(service.engine, input.path, input.line, input.repo);
    if (!related) {
      throw new CodeRagError("not_found", `The index has no file ${JSON.stringify(input.path)}, or nothing in it.`);
    }
    const text = paragraphs(
      declarationText(related.of),
      declarationList("Called by", related.callers),
      declarationList("Calls", related.callees),
      declarationList("Tests", related.tests),
      declarationList("Similar", related.similar),
    );
    const { of, similar, callers, callees, tests } = related;
    return {
      structured: { of, similar: [...similar], callers: [...callers], callees: [...callees], tests: [...tests] },
      text,
    };
  },
});
