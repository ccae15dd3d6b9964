/**
 * The MCP server that a client starts: what it lists, calls and reads is the Worker's, passed on as it came. Ours are
 * the channel's capability, the answers while somebody has to sign in or the Worker gives none, and the shape of the
 * status for hooks.
 *
 * It is the SDK's v1 server, since Claude Code registers a channel by the handshake of 2025. `initialize` needs no
 * network: a host that waits three seconds for a server gets its answer from a laptop that is offline.
 */
import { randomUUID } from "node:crypto";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { Notification, Request, Result } from "@modelcontextprotocol/sdk/types.js";
import type { Access, Notify, SignInPrompt, StateFile, WorkerAnswer, WorkerSession } from "../ports.ts";
import { within } from "../within.ts";
import type { Lists } from "./built-in-lists.ts";
import { toHookShape } from "./hook-shape.ts";
import { bridgeInstructions } from "./instructions.ts";
import { type ChangedList, LIST_METHODS, type ListMethod, WorkerLists } from "./lists.ts";
import { INVALID_PARAMS, METHOD_NOT_FOUND, NO_ANSWER, RpcError } from "./rpc-error.ts";
import { elicitsUrls, signInSentence, urlElicitationError } from "./sign-in-answer.ts";

export interface ProxyDeps {
  session: WorkerSession;
  access: Access;
  state: StateFile;
  /** What is listed for a Worker that was never reached (built-in-lists.ts). */
  builtInLists: Lists;
  /** The bridge's version. */
  version: string;
  /** Whether events are pushed: the channel's capability is declared only then. */
  channelEnabled: boolean;
  /** Resolves when the channel has its place in the stream: what comes after a first answer is then pushed. */
  channelConnected(): Promise<void>;
}

export interface McpProxy {
  /** Serves the client behind this transport. */
  connect(transport: Transport): Promise<void>;
  /** Whether the client opens the pages of a sign-in itself: then no browser is to be opened for it. */
  opensPages(): boolean;
  /** Pushes to the client, once it is ready for it. Rejects where the client has gone. */
  notify: Notify;
  close(): Promise<void>;
}

type Extra = RequestHandlerExtra<Request, Notification>;
type Params = Record<string, unknown>;

const STATUS_TOOL = "get_pending_status";
/**
 * Milliseconds for a call. The status is asked for before every prompt of a person, who waits; `wait_for_events` holds
 * a call for 50 seconds, and the SDK's clients give up after 60.
 */
const CALL_TIMEOUT_MS: Readonly<Record<string, number>> = { [STATUS_TOOL]: 5_000, wait_for_events: 58_000 };
const OTHER_CALLS_MS = 30_000;
/** A network home directory that hangs must not hold up `initialize`. */
const STATE_PATIENCE_MS = 300;
/** An answer is not kept back for a stream that does not come about. */
const CHANNEL_PATIENCE_MS = 1_000;

/** Requests that the Worker answers, other than lists and calls. */
const PASSED_ON = new Set(["prompts/get", "resources/read"]);

export function createProxy(deps: ProxyDeps): McpProxy {
  return new WorkerProxy(deps);
}

class WorkerProxy implements McpProxy {
  readonly #deps: ProxyDeps;
  readonly #lists: WorkerLists;
  readonly #subscriptions = new Set<string>();
  /** URL elicitations whose sign-in is not done yet: id by the prompt's URL. */
  readonly #elicitations = new Map<string, string>();
  readonly #initialized: Promise<void>;
  #markInitialized: () => void = () => {};
  #ready = false;
  #server: Server | null = null;
  #channelAwaited: Promise<unknown> | null = null;

  constructor(deps: ProxyDeps) {
    this.#deps = deps;
    this.#lists = new WorkerLists({
      session: deps.session,
      state: deps.state,
      builtIn: deps.builtInLists,
      onChanged: (changed) => this.#tellChanged(changed),
    });
    this.#initialized = new Promise((done) => {
      this.#markInitialized = done;
    });
    deps.access.onAvailable(() => {
      this.#completeElicitations();
      void this.#lists.invalidate();
    });
    deps.session.onNotification((method, params) => this.#onWorkerNotification(method, params));
  }

  async connect(transport: Transport): Promise<void> {
    await within(
      STATE_PATIENCE_MS,
      this.#lists.restore().catch(() => {}),
    );
    const { version, channelEnabled } = this.#deps;
    const server = new Server(
      { name: "github-webhook-mcp", title: "GitHub webhook events", version },
      {
        instructions: bridgeInstructions(this.#lists.instructions, channelEnabled),
        capabilities: {
          tools: { listChanged: true },
          prompts: { listChanged: true },
          resources: { listChanged: true, subscribe: true },
          ...(channelEnabled && { experimental: { "claude/channel": {} } }),
        },
      },
    );
    server.fallbackRequestHandler = async (request, extra) => (await this.#handle(request, extra)) as Result;
    server.oninitialized = () => {
      this.#ready = true;
      this.#markInitialized();
      void this.#lists.refresh();
    };
    this.#server = server;
    await server.connect(transport);
  }

  opensPages(): boolean {
    return elicitsUrls(this.#server?.getClientCapabilities());
  }

  readonly notify: Notify = async (notification) => {
    await this.#initialized;
    await this.#server?.notification({ method: "notifications/claude/channel", params: { ...notification } });
  };

  async close(): Promise<void> {
    await this.#server?.close();
  }

  async #handle({ method, params }: Request, extra: Extra): Promise<Params> {
    if (method in LIST_METHODS) return this.#lists.answer(method as ListMethod);
    if (method === "tools/call") return this.#callTool(params ?? {}, extra);
    if (method === "resources/subscribe" || method === "resources/unsubscribe") return this.#subscribe(method, params);
    if (PASSED_ON.has(method)) return this.#passOn(method, params, extra);
    throw new RpcError(METHOD_NOT_FOUND, `Method not found: ${method}`);
  }

  /** The Worker's result; whatever else came of the call, as an error result with a sentence that says what to do. */
  async #callTool(params: Params, extra: Extra): Promise<Params> {
    const { name } = params;
    if (typeof name !== "string") throw new RpcError(INVALID_PARAMS, "tools/call needs the name of a tool.");
    const answer = await this.#ask("tools/call", params, extra, CALL_TIMEOUT_MS[name] ?? OTHER_CALLS_MS);
    switch (answer.outcome) {
      case "result":
        return name === STATUS_TOOL ? toHookShape(answer.result) : answer.result;
      case "error":
        return errorResult(`The Worker refuses this call of ${name}: ${answer.error.message}`);
      case "sign-in":
        if (this.opensPages()) throw this.#elicitation(answer.prompt);
        return errorResult(signInSentence(answer.prompt, Date.now()));
      case "unavailable":
        return errorResult(answer.sentence);
    }
  }

  /** As with tools, but for results that have no place for an error. */
  async #passOn(method: string, params: Params | undefined, extra: Extra): Promise<Params> {
    const answer = await this.#ask(method, params ?? {}, extra, OTHER_CALLS_MS);
    switch (answer.outcome) {
      case "result":
        return answer.result;
      case "error":
        throw new RpcError(answer.error.code, answer.error.message, answer.error.data);
      case "sign-in":
        if (this.opensPages()) throw this.#elicitation(answer.prompt);
        throw new RpcError(NO_ANSWER, signInSentence(answer.prompt, Date.now()));
      case "unavailable":
        throw new RpcError(NO_ANSWER, answer.sentence);
    }
  }

  async #ask(method: string, params: Params, extra: Extra, timeoutMs: number): Promise<WorkerAnswer> {
    const { progressToken, ...meta } = (params._meta ?? {}) as Params;
    const { _meta, ...rest } = params;
    const answer = await this.#deps.session.request(
      method,
      { ...rest, ...(Object.keys(meta).length > 0 && { _meta: meta }) },
      {
        interactive: true,
        signal: extra.signal,
        timeoutMs,
        ...(progressToken !== undefined && {
          onProgress: (progress) => tell(extra, { ...progress, progressToken }),
        }),
      },
    );
    if (answer.outcome === "result") {
      this.#lists.onAnswer();
      this.#channelAwaited ??= within(CHANNEL_PATIENCE_MS, this.#deps.channelConnected());
      await this.#channelAwaited;
    }
    return answer;
  }

  #subscribe(method: string, params: Params | undefined): Params {
    const uri = params?.uri;
    if (typeof uri !== "string") throw new RpcError(INVALID_PARAMS, `${method} needs the uri of a resource.`);
    if (method === "resources/subscribe") this.#subscriptions.add(uri);
    else this.#subscriptions.delete(uri);
    this.#deps.session.watchResources([...this.#subscriptions]);
    return {};
  }

  #onWorkerNotification(method: string, params: Params): void {
    if (method === "notifications/resources/updated") {
      const { uri } = params;
      // What belongs to the connection with the Worker (`_meta`) means nothing to this client.
      if (typeof uri === "string" && this.#subscriptions.has(uri)) this.#send(method, { uri });
    } else if (method.endsWith("/list_changed")) {
      void this.#lists.invalidate();
    }
  }

  #tellChanged(changed: ReadonlySet<ChangedList>): void {
    // Before that the client has listed nothing.
    if (!this.#ready) return;
    for (const list of changed) this.#send(`notifications/${list}/list_changed`);
  }

  /** One elicitation for one sign-in, however many calls need it. */
  #elicitation(prompt: SignInPrompt): RpcError {
    const id = this.#elicitations.get(prompt.url) ?? randomUUID();
    this.#elicitations.set(prompt.url, id);
    return urlElicitationError(prompt, id);
  }

  #completeElicitations(): void {
    for (const elicitationId of this.#elicitations.values()) {
      this.#send("notifications/elicitation/complete", { elicitationId });
    }
    this.#elicitations.clear();
  }

  /** A client that has gone is noticed by the transport. */
  #send(method: string, params?: Params): void {
    this.#server?.notification({ method, ...(params && { params }) }).catch(() => {});
  }
}

function errorResult(text: string): Params {
  return { isError: true, content: [{ type: "text", text }] };
}

function tell(extra: Extra, progress: Params): void {
  extra.sendNotification({ method: "notifications/progress", params: progress }).catch(() => {});
}
