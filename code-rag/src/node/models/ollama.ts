import { Ollama } from "ollama";
import { quantize } from "../../engine/embedding/static-table.ts";
import type { ChatModel, ChatRequest, Embedder } from "../../engine/ports.ts";
import { fitDimensions, SERVICE_DIMENSIONS } from "./fit-dimensions.ts";
import { toModelError } from "./model-error.ts";
import { withRetries } from "./retry.ts";

const DEFAULT_MODEL = "gemma4:e2b";
const DEFAULT_HOST = "http://127.0.0.1:11434";
/** A model that is not in memory yet is loaded first. */
const TIMEOUT_MS = 120_000;

/** Ollama's library has neither time limits nor retries; both are added here. */
function createClient(host: string | undefined): Ollama {
  const limited: typeof fetch = (input, init) => fetch(input, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
  return new Ollama({ host: host ?? DEFAULT_HOST, fetch: limited });
}

/** A model on an Ollama server. */
export function ollamaModel(options: { model?: string; host?: string }): ChatModel {
  const model = options.model ?? DEFAULT_MODEL;
  const client = createClient(options.host);
  return {
    id: `ollama:${model}`,
    async complete({ system, user, maxTokens, signal }: ChatRequest) {
      try {
        const ask = () =>
          client.chat({
            model,
            messages: [
              { role: "system", content: system },
              { role: "user", content: user },
            ],
            options: { num_predict: maxTokens, temperature: 0 },
          });
        return (await withRetries(ask, signal)).message.content;
      } catch (error) {
        throw toModelError(`Ollama at ${options.host ?? DEFAULT_HOST}`, error);
      }
    },
  };
}

/** An embedding model on an Ollama server. */
export function ollamaEmbedder(options: { model: string; host?: string }): Embedder {
  const client = createClient(options.host);
  return {
    id: `ollama:${options.model}`,
    dimensions: SERVICE_DIMENSIONS,
    async embed(texts) {
      try {
        const answer = await withRetries(() =>
          client.embed({ model: options.model, input: [...texts], truncate: true }),
        );
        if (answer.embeddings.length !== texts.length) throw new Error("the server gave fewer vectors than texts");
        return answer.embeddings.map((vector) => quantize(fitDimensions(vector)));
      } catch (error) {
        throw toModelError(`Ollama at ${options.host ?? DEFAULT_HOST}`, error);
      }
    },
  };
}
