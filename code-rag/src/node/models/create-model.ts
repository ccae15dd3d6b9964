import type { ChatModel } from "../../engine/ports.ts";
import { CodeRagError } from "../errors.ts";
import { type ModelSettings, openAiEndpoint } from "./settings.ts";

/**
 * The chat model that the settings name; undefined for none. Rejects with a one-line error where its key is missing.
 * Client libraries are loaded when they are needed: most runs need none.
 */
export async function createModel(
  settings: ModelSettings,
  env: NodeJS.ProcessEnv = process.env,
): Promise<ChatModel | undefined> {
  const model = settings.chatModel;
  switch (settings.summarizer) {
    case "none":
      return undefined;
    case "anthropic": {
      const apiKey = env.ANTHROPIC_API_KEY;
      if (!apiKey)
        throw new CodeRagError("no_model", "--summarizer anthropic needs ANTHROPIC_API_KEY in the environment.");
      const { anthropicModel } = await import("./anthropic.ts");
      return anthropicModel({
        apiKey,
        ...(model ? { model } : {}),
        ...(env.ANTHROPIC_BASE_URL ? { baseURL: env.ANTHROPIC_BASE_URL } : {}),
      });
    }
    case "ollama": {
      const { ollamaModel } = await import("./ollama.ts");
      return ollamaModel({
        ...(model ? { model } : {}),
        ...(settings.ollamaHost ? { host: settings.ollamaHost } : {}),
      });
    }
    case "openai": {
      const endpoint = openAiEndpoint(env);
      if (!endpoint) {
        throw new CodeRagError(
          "no_model",
          "--summarizer openai needs OPENAI_API_KEY, OPENROUTER_API_KEY, DEEPSEEK_API_KEY or OPENAI_BASE_URL in the environment.",
        );
      }
      const { openAiModel } = await import("./openai.ts");
      return openAiModel(endpoint, model);
    }
  }
}
