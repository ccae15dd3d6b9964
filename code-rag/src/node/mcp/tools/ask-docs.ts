import { z } from "zod";
import { answerFrom, type Evidence, gatherEvidence } from "../../../engine/answers/ask-docs.ts";
import { CodeRagError } from "../../errors.ts";
import { sha256 } from "../../host/digest.ts";
import type { IndexService } from "../../host/index-service.ts";
import { ModelError } from "../../models/model-error.ts";
import { query, repo } from "../schemas.ts";
import { defineTool } from "../tool.ts";

export const askDocsTool = defineTool({
  name: "ask_docs",
  title: "Ask the documentation",
  description:
    "Answers a question from the repositories' documents with numbered citations, by a language model if one is " +
    "configured. Without evidence it declines and shows what it looked at; without a model it gives the best passages.",
  input: { question: query, repo },
  annotations: { openWorldHint: true, idempotentHint: false },
  output: {
    answered: z.boolean(),
    answer: z.string(),
    sources: z.array(
      z.object({
        id: z.number().int(),
        path: z.string(),
        line: z.number().int(),
        end_line: z.number().int(),
        heading: z.string(),
        score: z.number(),
      }),
    ),
  },
  async handle(service, input) {
    const evidence = await gatherEvidence(service.engine, input.question, input.repo);
    const result = await answer(service, input.question, evidence);
    const sources = result.sources.map((source) => `[${source.id}] ${source.path}:${source.line} ${source.heading}`);
    const heading = result.answered ? "Sources" : "Looked at";
    const text = sources.length > 0 ? `${result.answer}\n\n${heading}:\n${sources.join("\n")}` : result.answer;
    return { structured: { ...result, sources: [...result.sources] }, text };
  },
});

async function answer(service: IndexService, question: string, evidence: Evidence) {
  try {
    return await answerFrom(await service.requireModel(), question, evidence, sha256);
  } catch (error) {
    if (error instanceof ModelError) throw withPassages("no_model", error.message, evidence);
    if (error instanceof CodeRagError) throw withPassages(error.code, error.message, evidence);
    throw error;
  }
}

/** The reason in the first line, then what a reader can go on with. */
function withPassages(code: CodeRagError["code"], reason: string, evidence: Evidence): CodeRagError {
  const passages = evidence.sources.map((source, index) => {
    const text = (evidence.texts[index] ?? "").trim().slice(0, 800);
    return `[${source.id}] ${source.path}:${source.line} ${source.heading}\n${text}`;
  });
  const rest =
    passages.length === 0 ? "No passage matches the question." : `The best passages:\n\n${passages.join("\n\n")}`;
  return new CodeRagError(code, `${reason}\n\n${rest}`);
}
