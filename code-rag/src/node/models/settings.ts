/** Which models to use, from options and environment. Keys are read where a client is made, and go nowhere else. */

import { CodeRagError } from "../errors.ts";

export type Summarizer = "none" | "anthropic" | "ollama" | "openai";

export interface ModelSettings {
  readonly summarizer: Summarizer;
  /** Model of the summarizer and of `ask_docs`; the provider's default if it is not given. */
  readonly chatModel?: string;
  readonly ollamaHost?: string;
  /** `built-in`, `none`, `openai:MODEL`, `ollama:MODEL`. */
  readonly embedModel: string;
  /** Most requests for summaries in one run. */
  readonly summaryBudget: number;
}

export interface ModelOptions {
  readonly summarizer?: string;
  readonly ollamaModel?: string;
  readonly ollamaHost?: string;
  readonly embedModel?: string;
}

const SUMMARIZERS: readonly Summarizer[] = ["none", "anthropic", "ollama", "openai"];
const DEFAULT_BUDGET = 2_000;

/** Resolves what was asked for. Without an option, a configured key or host chooses its provider; else none. */
export function modelSettings(options: ModelOptions, env: NodeJS.ProcessEnv): ModelSettings {
  const summarizer = chosenSummarizer(options, env);
  const chatModel =
    summarizer === "ollama" ? (options.ollamaModel ?? env.CODE_RAG_MODEL) : env.CODE_RAG_MODEL || env.REPO_RAG_MODEL;
  const ollamaHost = options.ollamaHost ?? env.OLLAMA_HOST;
  const budget = Number(env.CODE_RAG_SUMMARY_BUDGET ?? DEFAULT_BUDGET);
  if (!Number.isInteger(budget) || budget < 0) {
    throw new CodeRagError("bad_config", "CODE_RAG_SUMMARY_BUDGET must be a whole number, 0 or more.");
  }
  return {
    summarizer,
    embedModel: embedModel(options.embedModel ?? env.CODE_RAG_EMBED_MODEL ?? "built-in"),
    summaryBudget: budget,
    ...(chatModel ? { chatModel } : {}),
    ...(ollamaHost ? { ollamaHost } : {}),
  };
}

function chosenSummarizer(options: ModelOptions, env: NodeJS.ProcessEnv): Summarizer {
  const asked = options.summarizer;
  if (asked !== undefined) {
    const known = SUMMARIZERS.find((name) => name === asked);
    if (!known)
      throw new CodeRagError("usage", `--summarizer must be one of ${SUMMARIZERS.join(", ")}, not "${asked}".`);
    return known;
  }
  if (options.ollamaModel || options.ollamaHost) return "ollama";
  if (env.ANTHROPIC_API_KEY) return "anthropic";
  if (openAiEndpoint(env)) return "openai";
  return env.OLLAMA_HOST ? "ollama" : "none";
}

function embedModel(name: string): string {
  if (name === "built-in" || name === "none" || /^(?:openai|ollama):./.test(name)) return name;
  throw new CodeRagError("usage", `--embed-model must be built-in, none, openai:MODEL or ollama:MODEL, not "${name}".`);
}

export interface OpenAiEndpoint {
  readonly apiKey: string;
  readonly baseURL: string;
  readonly defaultModel: string;
}

/** The OpenAI-compatible service that the environment configures: OpenAI, OpenRouter or DeepSeek by key, any by `OPENAI_BASE_URL`. */
export function openAiEndpoint(env: NodeJS.ProcessEnv): OpenAiEndpoint | undefined {
  if (env.OPENAI_API_KEY || env.OPENAI_BASE_URL) {
    return {
      apiKey: env.OPENAI_API_KEY || "none",
      baseURL: env.OPENAI_BASE_URL || "https://api.openai.com/v1",
      defaultModel: "gpt-5-mini",
    };
  }
  if (env.OPENROUTER_API_KEY) {
    return {
      apiKey: env.OPENROUTER_API_KEY,
      baseURL: "https://openrouter.ai/api/v1",
      defaultModel: "nvidia/nemotron-3-super-120b-a12b:free",
    };
  }
  if (env.DEEPSEEK_API_KEY) {
    return { apiKey: env.DEEPSEEK_API_KEY, baseURL: "https://api.deepseek.com/v1", defaultModel: "deepseek-chat" };
  }
  return undefined;
}
