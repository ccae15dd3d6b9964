import OpenAI from "openai";
import { quantize } from "../../engine/embedding/static-table.ts";
import type { ChatModel, Embedder } from "../../engine/ports.ts";
import { fitDimensions, SERVICE_DIMENSIONS } from "./fit-dimensions.ts";
import { toModelError } from "./model-error.ts";
import type { OpenAiEndpoint } from "./settings.ts";

const TIMEOUT_MS = 60_000;
const RETRIES = 4;

function createClient(endpoint: OpenAiEndpoint): OpenAI {
  return new OpenAI({ apiKey: endpoint.apiKey, baseURL: endpoint.baseURL, maxRetries: RETRIES, timeout: TIMEOUT_MS });
}

/** Any service that speaks OpenAI's chat completions: OpenAI, OpenRouter, DeepSeek, vLLM, llama.cpp … */
export function openAiModel(endpoint: OpenAiEndpoint, model = endpoint.defaultModel): ChatModel {
  const client = createClient(endpoint);
  return {
    id: `openai:${new URL(endpoint.baseURL).host}:${model}`,
    async complete({ system, user, maxTokens, signal }) {
      try {
        const answer = await client.chat.completions.create(
          {
            model,
            max_completion_tokens: maxTokens,
            messages: [
              { role: "system", content: system },
              { role: "user", content: user },
            ],
          },
          signal instanceof AbortSignal ? { signal } : {},
        );
        return answer.choices?.[0]?.message?.content ?? "";
      } catch (error) {
        throw toModelError("OpenAI-compatible service", error);
      }
    },
  };
}

/** `/embeddings` of such a service. */
export function openAiEmbedder(endpoint: OpenAiEndpoint, model: string): Embedder {
  const client = createClient(endpoint);
  return {
    id: `openai:${new URL(endpoint.baseURL).host}:${model}`,
    dimensions: SERVICE_DIMENSIONS,
    async embed(texts) {
      try {
        const answer = await client.embeddings.create({ model, input: [...texts], encoding_format: "float" });
        const ordered = [...answer.data].sort((a, b) => a.index - b.index);
        if (ordered.length !== texts.length) throw new Error("the service gave fewer vectors than texts");
        return ordered.map((item) => quantize(fitDimensions(item.embedding)));
      } catch (error) {
        throw toModelError("OpenAI-compatible service", error);
      }
    },
  };
}
