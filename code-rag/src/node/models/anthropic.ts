import Anthropic from "@anthropic-ai/sdk";
import type { ChatModel } from "../../engine/ports.ts";
import { ModelError, toModelError } from "./model-error.ts";

const DEFAULT_MODEL = "claude-haiku-5-5";
const TIMEOUT_MS = 60_000;
const RETRIES = 4;

/** Claude through Anthropic's SDK, which retries 429, 529 and broken connections with back-off. */
export function anthropicModel(options: { apiKey: string; model?: string; baseURL?: string }): ChatModel {
  const model = options.model ?? DEFAULT_MODEL;
  const client = new Anthropic({
    apiKey: options.apiKey,
    maxRetries: RETRIES,
    timeout: TIMEOUT_MS,
    ...(options.baseURL ? { baseURL: options.baseURL } : {}),
  });
  return {
    id: `anthropic:${model}`,
    async complete({ system, user, maxTokens, signal }) {
      try {
        const answer = await client.messages.create(
          { model, max_tokens: maxTokens, system, messages: [{ role: "user", content: user }] },
          signal instanceof AbortSignal ? { signal } : {},
        );
        return answer.content.map((block) => (block.type === "text" ? block.text : "")).join("");
      } catch (error) {
        throw error instanceof ModelError ? error : toModelError("Anthropic", error);
      }
    },
  };
}
