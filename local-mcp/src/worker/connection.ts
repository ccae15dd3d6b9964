/**
 * One MCP connection with the Worker: the SDK's client after it found out which protocol the Worker speaks. With
 * 2026-07-28 there is no session, and updates of resources come by `subscriptions/listen`; an older server has both
 * the older way (docs/decisions/014).
 */
import { Client, ProtocolError, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import * as z from "zod";
import { parseJson } from "../parse-json.ts";
import type { WorkerAnswer } from "../ports.ts";
import { currentExchange, type Exchange, type FetchLike } from "./exchange.ts";
import { FailedExchange, type WorkerFailure } from "./failure.ts";

/** The Worker's own result, whatever its members: what it means is for the client at the other end. */
const anyResult = z.record(z.string(), z.unknown());

/** What comes of one request: an answer, or a failure that may be worth another try. */
export type Attempt =
  | Extract<WorkerAnswer, { outcome: "result" | "error" }>
  | { outcome: "failed"; failure: WorkerFailure };

export interface RequestOptions {
  signal: AbortSignal;
  onProgress?(progress: Record<string, unknown>): void;
}

type Listener = (method: string, params: Record<string, unknown>) => void;

/** Longer than any deadline of ours: those end a request, not the SDK's. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;
/** The last bytes of a stream may hold the answer: the SDK reads them a moment after they are through. */
const STREAM_GRACE_MS = 250;
/** JSON-RPC errors: this connection's protocol is not spoken any more; a method is not known. */
const UNSUPPORTED_PROTOCOL_VERSION = -32022;
const METHOD_NOT_FOUND = -32601;

export class Connection {
  readonly #client: Client;

  private constructor(client: Client) {
    this.#client = client;
  }

  /**
   * Connects within `timeoutMs`.
   * @throws FailedExchange
   */
  static async open(
    url: string,
    options: { fetch: FetchLike; version: string; timeoutMs: number; onNotification: Listener },
  ): Promise<Connection> {
    const client = new Client(
      { name: "github-webhook-mcp", version: options.version },
      { versionNegotiation: { mode: "auto" }, capabilities: {} },
    );
    client.fallbackNotificationHandler = async ({ method, params }) => options.onNotification(method, params ?? {});
    const transport = new StreamableHTTPClientTransport(new URL(url), { fetch: options.fetch });
    const exchange: Exchange = { failure: null };
    try {
      await currentExchange.run(exchange, () => client.connect(transport, { timeout: options.timeoutMs }));
      return new Connection(client);
    } catch (error) {
      await client.close().catch(() => {});
      throw new FailedExchange(exchange.failure ?? openFailureOf(error, options.timeoutMs));
    }
  }

  get instructions(): string | null {
    return this.#client.getInstructions() ?? null;
  }

  /** One request; ended at the Worker too when `signal` is aborted. Never rejects. */
  async request(
    method: string,
    params: Record<string, unknown> | undefined,
    { signal, onProgress }: RequestOptions,
  ): Promise<Attempt> {
    const exchange: Exchange = { failure: null };
    const stop = new AbortController();
    const onAbort = () => stop.abort();
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) stop.abort();
    // Nothing is resumed in the protocol of 2026: an answer whose stream has ended will not come any more.
    const cut = new Promise<never>((_, fail) => {
      if (this.#client.getProtocolEra() !== "modern") return;
      exchange.onStreamEnd = () => {
        setTimeout(() => fail(new FailedExchange({ kind: "cut" })), STREAM_GRACE_MS).unref();
      };
    });
    try {
      const options = { signal: stop.signal, timeout: NO_TIMEOUT_MS, ...(onProgress && { onprogress: onProgress }) };
      const answer = currentExchange.run(exchange, () =>
        this.#client.request({ method, ...(params && { params }) }, anyResult, options as never),
      );
      return { outcome: "result", result: await Promise.race([answer, cut]) };
    } catch (error) {
      return outcomeOf(exchange.failure, error);
    } finally {
      signal.removeEventListener("abort", onAbort);
      // The SDK would wait for an answer that was cut off; where it has come, this is nothing.
      stop.abort();
    }
  }

  /**
   * Has updates of these resources told until `signal` is aborted. Resolves when they are not told any more, however
   * that came.
   * @param onReady what happens from now on will be told
   * @throws FailedExchange, or whatever else made it impossible
   */
  async watch(uris: readonly string[], signal: AbortSignal, onReady: () => void): Promise<void> {
    if (this.#client.getProtocolEra() !== "modern") return this.#watchLegacy(uris, signal, onReady);
    const subscription = await this.#client.listen({ resourceSubscriptions: [...uris] }, { signal });
    onReady();
    await subscription.closed;
  }

  async #watchLegacy(uris: readonly string[], signal: AbortSignal, onReady: () => void): Promise<void> {
    for (const uri of uris) await this.#client.subscribeResource({ uri }, { signal });
    onReady();
    await new Promise<void>((done) => signal.addEventListener("abort", () => done(), { once: true }));
    for (const uri of uris) await this.#client.unsubscribeResource({ uri });
  }

  async close(): Promise<void> {
    await this.#client.close().catch(() => {});
  }
}

function outcomeOf(noted: WorkerFailure | null, error: unknown): Attempt {
  if (noted) return { outcome: "failed", failure: noted };
  if (ProtocolError.isInstance(error)) {
    const { code, message, data } = error;
    if (code === UNSUPPORTED_PROTOCOL_VERSION) return { outcome: "failed", failure: { kind: "session-lost" } };
    return { outcome: "error", error: { code, message, ...(data !== undefined && { data }) } };
  }
  return rpcErrorIn(error) ?? { outcome: "failed", failure: failureOf(error) };
}

/** What of an SdkHttpError is read here. */
const httpError = z.object({ data: z.object({ status: z.number(), text: z.string().nullish() }) });
const rpcError = z.object({
  jsonrpc: z.literal("2.0"),
  error: z.object({ code: z.number(), message: z.string(), data: z.unknown().optional() }),
});

/** A refusal by HTTP status with a JSON-RPC error in it: an unknown method of protocol 2026-07-28 is a 404. */
function rpcErrorIn(error: unknown): Attempt | null {
  const http = httpError.safeParse(error);
  if (!http.success || isSessionLoss(http.data.data)) return null;
  const body = rpcError.safeParse(parseJson(http.data.data.text ?? ""));
  return body.success ? { outcome: "error", error: body.data.error } : null;
}

/** An ended session is 404 (Streamable HTTP, "Session Management"), and so is a method that is not known. */
function isSessionLoss({ status, text }: { status: number; text?: string | null | undefined }): boolean {
  const body = rpcError.safeParse(parseJson(text ?? ""));
  return status === 404 && !(body.success && body.data.error.code === METHOD_NOT_FOUND);
}

function openFailureOf(error: unknown, timeoutMs: number): WorkerFailure {
  if (isTimeout(error)) return { kind: "timeout", seconds: timeoutMs / 1_000 };
  const failure = failureOf(error);
  // Without a session there is none to lose: nothing is there that speaks MCP.
  return failure.kind === "session-lost" ? { kind: "status", status: 404 } : failure;
}

function failureOf(error: unknown): WorkerFailure {
  if (error instanceof FailedExchange) return error.failure;
  const http = httpError.safeParse(error);
  if (http.success) {
    const { status } = http.data.data;
    return isSessionLoss(http.data.data) ? { kind: "session-lost" } : { kind: "status", status };
  }
  if (isClosed(error)) return { kind: "session-lost" };
  return { kind: "unreadable", reason: error instanceof Error ? firstLine(error.message) : "no reason given" };
}

const codeOf = (error: unknown): unknown => (error as { code?: unknown } | null)?.code;
const isTimeout = (error: unknown): boolean => codeOf(error) === "REQUEST_TIMEOUT";
const isClosed = (error: unknown): boolean => ["CONNECTION_CLOSED", "NOT_CONNECTED"].includes(String(codeOf(error)));

function firstLine(text: string): string {
  return text.split("\n", 1)[0]!.slice(0, 120);
}
