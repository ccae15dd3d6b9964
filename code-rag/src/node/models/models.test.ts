import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import type { ChatRequest } from "../../engine/ports.ts";
import { createEmbedder } from "./create-embedder.ts";
import { createModel } from "./create-model.ts";
import { ModelError } from "./model-error.ts";
import { modelSettings } from "./settings.ts";

interface Seen {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  // biome-ignore lint/suspicious/noExplicitAny: bodies are compared field by field
  readonly body: any;
}

type Answer = (response: ServerResponse, attempt: number) => void;

/** A server that speaks as it is told; it records what it was asked. */
async function provider(answer: Answer) {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (data) => {
      text += data;
    });
    request.on("end", () => {
      seen.push({ path: request.url ?? "", headers: request.headers, body: text ? JSON.parse(text) : undefined });
      answer(response, seen.length);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));

const REQUEST: ChatRequest = { system: "Be short.", user: "What is it?", maxTokens: 50 };

const anthropicAnswer = {
  id: "m",
  type: "message",
  role: "assistant",
  model: "x",
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 1 },
  content: [{ type: "text", text: "An answer." }],
};
const openAiAnswer = {
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "x",
  choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "An answer." } }],
};
const ollamaAnswer = {
  model: "x",
  created_at: "2026-01-01T00:00:00Z",
  done: true,
  message: { role: "assistant", content: "An answer." },
};

const KINDS = [
  {
    name: "anthropic",
    answer: anthropicAnswer,
    path: "/v1/messages",
    env: (url: string) => ({ ANTHROPIC_API_KEY: "k3y", ANTHROPIC_BASE_URL: url }),
  },
  {
    name: "openai",
    answer: openAiAnswer,
    path: "/chat/completions",
    env: (url: string) => ({ OPENAI_API_KEY: "k3y", OPENAI_BASE_URL: url }),
  },
  { name: "ollama", answer: ollamaAnswer, path: "/api/chat", env: (url: string) => ({ OLLAMA_HOST: url }) },
] as const;

describe.each(KINDS)("$name", ({ name, answer, path, env }) => {
  async function model(behaviour: Answer) {
    const server = await provider(behaviour);
    const settings = modelSettings({ summarizer: name }, env(server.url));
    const made = await createModel(settings, env(server.url));
    if (!made) throw new Error("no model");
    return { model: made, seen: server.seen };
  }

  it("asks in its provider's own words", async () => {
    const { model: made, seen } = await model(json(200, answer));
    expect(await made.complete(REQUEST)).toBe("An answer.");
    expect(seen[0]?.path).toBe(path);
    expect(JSON.stringify(seen[0]?.body)).toContain("What is it?");
    expect(JSON.stringify(seen[0]?.body)).toContain("Be short.");
    expect(made.id).toContain(name);
  });

  it.each([429, 529, 503])("tries again after %i", async (status) => {
    const { model: made, seen } = await model((response, attempt) =>
      attempt === 1
        ? json(
            status,
            { error: { message: "busy", type: "overloaded_error" } },
            { "retry-after": "0" },
          )(response, attempt)
        : json(200, answer)(response, attempt),
    );
    expect(await made.complete(REQUEST)).toBe("An answer.");
    expect(seen).toHaveLength(2);
  });

  it("tries again after an answer that breaks off", async () => {
    const { model: made, seen } = await model((response, attempt) => {
      if (attempt > 1) return json(200, answer)(response, attempt);
      response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
      response.write('{"half":');
      response.destroy();
    });
    const result = await made.complete(REQUEST).catch((error) => error);
    if (result instanceof ModelError) expect(result.message.split("\n")).toHaveLength(1);
    else expect(result).toBe("An answer.");
    expect(seen.length).toBeGreaterThan(0);
  });

  it("says in one line, and without the key, that the key is refused; and does not try again", async () => {
    const { model: made, seen } = await model(
      json(401, { error: { message: "invalid key k3y", type: "authentication_error" } }),
    );
    const error = await made.complete(REQUEST).catch((reason) => reason);
    expect(error).toBeInstanceOf(ModelError);
    expect(error).toMatchObject({ final: true, message: expect.stringContaining("the key was refused") });
    expect(error.message).not.toContain("k3y");
    expect(seen).toHaveLength(1);
  });

  it("fails in one line where nobody listens", async () => {
    const settings = modelSettings({ summarizer: name }, env("http://127.0.0.1:1"));
    const made = await createModel(settings, env("http://127.0.0.1:1"));
    const error = await made?.complete(REQUEST).catch((reason) => reason);
    expect(error).toBeInstanceOf(ModelError);
    expect(error.message.split("\n")).toHaveLength(1);
  }, 30_000);
});

describe("embeddings", () => {
  const vectors = [
    [0, 2, 0],
    [3, 0, 4],
  ];

  it("from an OpenAI-compatible service, in the order of the texts", async () => {
    const data = vectors.map((embedding, index) => ({ object: "embedding", index, embedding })).reverse();
    const server = await provider(
      json(200, { object: "list", model: "x", data, usage: { prompt_tokens: 1, total_tokens: 1 } }),
    );
    const env = { OPENAI_BASE_URL: server.url };
    const embedder = await createEmbedder(modelSettings({ embedModel: "openai:small" }, env), env);
    const [first, second] = (await embedder?.embed(["a", "b"], "document")) ?? [];
    expect([first?.[1], second?.[0], second?.[2]]).toEqual([127, 76, 102]);
    expect(first).toHaveLength(embedder?.dimensions as number);
    expect(server.seen[0]).toMatchObject({ path: "/embeddings", body: { model: "small", input: ["a", "b"] } });
  });

  it("from Ollama", async () => {
    const server = await provider(json(200, { model: "x", embeddings: vectors }));
    const env = { OLLAMA_HOST: server.url };
    const embedder = await createEmbedder(modelSettings({ embedModel: "ollama:nomic" }, env), env);
    expect((await embedder?.embed(["a", "b"], "query"))?.[0]?.[1]).toBe(127);
    expect(server.seen[0]).toMatchObject({ path: "/api/embed", body: { model: "nomic", input: ["a", "b"] } });
  });

  it("fewer vectors than texts are an error", async () => {
    const server = await provider(json(200, { model: "x", embeddings: [[1]] }));
    const env = { OLLAMA_HOST: server.url };
    const embedder = await createEmbedder(modelSettings({ embedModel: "ollama:nomic" }, env), env);
    await expect(embedder?.embed(["a", "b"], "query")).rejects.toThrow(/fewer vectors/);
  });
});

describe("modelSettings", () => {
  it.each([
    [{}, {}, "none"],
    [{ ANTHROPIC_API_KEY: "k" }, {}, "anthropic"],
    [{ OPENROUTER_API_KEY: "k" }, {}, "openai"],
    [{ DEEPSEEK_API_KEY: "k" }, {}, "openai"],
    [{ OLLAMA_HOST: "http://h" }, {}, "ollama"],
    [{}, { ollamaModel: "m" }, "ollama"],
    [{ ANTHROPIC_API_KEY: "k" }, { summarizer: "none" }, "none"],
  ])("%j with %j is %s", (env, options, expected) => {
    expect(modelSettings(options, env).summarizer).toBe(expected);
  });
});
