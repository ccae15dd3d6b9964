import type { Embedder } from "../../engine/ports.ts";
import { CodeRagError } from "../errors.ts";
import { builtInEmbedder } from "../host/built-in-embedder.ts";
import { type ModelSettings, openAiEndpoint } from "./settings.ts";

/** The embedder that the settings name; undefined where search goes by words and names only. */
export async function createEmbedder(
  settings: ModelSettings,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Embedder | undefined> {
  if (settings.embedModel === "none") return undefined;
  if (settings.embedModel === "built-in") return builtInEmbedder();
  const colon = settings.embedModel.indexOf(":");
  const model = settings.embedModel.slice(colon + 1);
  if (settings.embedModel.startsWith("ollama:")) {
    const { ollamaEmbedder } = await import("./ollama.ts");
    return ollamaEmbedder({ model, ...(settings.ollamaHost ? { host: settings.ollamaHost } : {}) });
  }
  const endpoint = openAiEndpoint(env);
  if (!endpoint) {
    throw new CodeRagError(
      "no_model",
      `--embed-model ${settings.embedModel} needs OPENAI_API_KEY or OPENAI_BASE_URL in the environment.`,
    );
  }
  const { openAiEmbedder } = await import("./openai.ts");
  return openAiEmbedder(endpoint, model);
}
