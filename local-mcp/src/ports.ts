/**
 * The narrow interfaces between the bridge's rooms. `commands/` wires them together; a room takes the port it needs
 * and never makes another room's part itself.
 */
import type { z } from "zod";
import type { bridgeState } from "./state/schema.ts";

/** What the environment says, checked and normalised (config.ts). */
export interface BridgeConfig {
  /** Origin of the Worker, with no slash at its end: `https://webhook.example.com`. */
  workerUrl: string;
  /** Folder of the state files, `~/.github-webhook-mcp` unless told otherwise. */
  stateDirectory: string;
  channel: ChannelConfig;
}

export interface ChannelConfig {
  /** `WEBHOOK_CHANNEL` is not `0`. Off: the capability is not declared and no stream is opened. */
  enabled: boolean;
  /** Event types to push; empty = all. */
  types: string[];
  /** `owner/name`, in lower case; empty = all. */
  repositories: string[];
  /** Logins, in lower case; empty = all. */
  senders: string[];
}

// ── network/ ────────────────────────────────────────────────────────────────────────────────────────────────────

/** Frames of one WebSocket. A handler is called after `open` resolved, in order. */
export interface SocketHandlers {
  onText(text: string): void;
  /** Once, however it ended: closed by either side, broken or never answered a close. */
  onClose(code: number, reason: string): void;
}

export interface Socket {
  sendText(text: string): void;
  /** Ends it; `onClose` follows within a second even if the other side says nothing. */
  close(): void;
}

/** HTTP and WebSocket with proxies, private CAs and both address families, on Node 18 and later. */
export interface Network {
  /** `fetch` of the platform's standard; rejects with a NetworkError whose message is a sentence for a person. */
  fetch(url: string, init?: NetworkRequest): Promise<Response>;
  /** Opens a WebSocket (`ws:`/`wss:` from the URL's `http:`/`https:`). Rejects with a NetworkError, status included. */
  openSocket(url: string, headers: Record<string, string>, handlers: SocketHandlers): Promise<Socket>;
  /** Ends all connections. */
  close(): Promise<void>;
}

export interface NetworkRequest {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  signal?: AbortSignal;
  /** Milliseconds until the answer's head must be there. */
  timeoutMs?: number;
}

// ── state/ ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** What the bridges on one machine share about one Worker (state/schema.ts says what each member means). */
export type BridgeState = z.infer<typeof bridgeState>;

/** What only one process on the machine does at a time. */
export type ExclusiveStep = "refresh" | "sign-in" | "poll" | "backlog";

export interface StateFile {
  /** The state as it stands on disk now; an absent or corrupt file is the empty state (said once on stderr). */
  read(): Promise<BridgeState>;
  /**
   * Reads, changes and writes as one step among all processes that share the folder (a lock file; a lock whose owner
   * is gone is taken over). Written by rename, mode 0600. Where the disk can't be written, the state lives on in
   * memory, and stderr says so once.
   */
  update(change: (state: BridgeState) => BridgeState): Promise<BridgeState>;
  /** Runs `step` alone among all processes, e.g. the one refresh. Other updates may run meanwhile. */
  exclusive<T>(name: ExclusiveStep, step: () => Promise<T>): Promise<T>;
  /** The same if no process is at it; null otherwise. */
  tryExclusive<T>(name: ExclusiveStep, step: () => Promise<T>): Promise<{ result: T } | null>;
  /** Why the disk does not take the state; null if it does. Writes it once, as it is. */
  diskProblem(): Promise<string | null>;
}

// ── access/ ─────────────────────────────────────────────────────────────────────────────────────────────────────

/** What a person has to do before the bridge may speak for them. */
export interface SignInPrompt {
  /** The authorize URL, to be opened in a browser. */
  url: string;
  /** `XXXX-XXXX`, the same as on the consent page. */
  code: string;
  expiresAt: number;
}

export type AccessAnswer =
  | { outcome: "token"; token: string }
  /** A sign-in is under way (one for all processes); polling goes on in the background. */
  | { outcome: "sign-in"; prompt: SignInPrompt }
  /** The Worker can't be asked now, or the sign-in was refused; `sentence` says what to do. */
  | { outcome: "unavailable"; sentence: string };

/** The bearer token of the bridge: one refresh at a time, one sign-in for the machine. */
export interface Access {
  /**
   * A token that is good for five more minutes, refreshed if need be; answers within a second when a sign-in is needed,
   * which it starts (`interactive`) or not (a background caller: then `unavailable`).
   */
  token(options: { interactive: boolean }): Promise<AccessAnswer>;
  /** The Worker answered 401 to this token: the next `token()` refreshes first. Says nothing about newer tokens. */
  reject(token: string): void;
  /** Called whenever a token becomes available after there was none (sign-in done, here or in another process). */
  onAvailable(listener: () => void): void;
  /** Stops polling and watching. */
  close(): void;
}

// ── worker/ ─────────────────────────────────────────────────────────────────────────────────────────────────────

/** Result or error of one MCP request as the Worker gave it, or why there is none. */
export type WorkerAnswer =
  | { outcome: "result"; result: Record<string, unknown> }
  | { outcome: "error"; error: { code: number; message: string; data?: unknown } }
  | { outcome: "sign-in"; prompt: SignInPrompt }
  | { outcome: "unavailable"; sentence: string };

/** The one MCP session with the Worker, shared by everything in the process. */
export interface WorkerSession {
  /**
   * One request. An expired session or token is renewed and the request repeated once. `signal` ends the request at
   * the Worker too. Never rejects.
   */
  request(
    method: string,
    params: Record<string, unknown> | undefined,
    options: {
      interactive: boolean;
      signal?: AbortSignal;
      timeoutMs?: number;
      onProgress?(progress: Record<string, unknown>): void;
    },
  ): Promise<WorkerAnswer>;
  /** What the Worker says of itself to a model; null until it was reached. */
  instructions(): string | null;
  /** Called with what the Worker sends on its own: `notifications/resources/updated`, `notifications/…/list_changed`. */
  onNotification(listener: (method: string, params: Record<string, unknown>) => void): void;
  /** The resources whose updates are wanted from now on, in place of those before. */
  watchResources(uris: readonly string[]): void;
  close(): Promise<void>;
}

// ── channel/ ────────────────────────────────────────────────────────────────────────────────────────────────────

/** One event as `/events` sends it (shared/src/stream.ts has the frames). */
export interface ChannelNotification {
  content: string;
  meta: { chat_id: string; message_id: string; user: string; ts: string };
}

export interface Channel {
  /** Starts the stream as soon as there is a token. Resolves at once. */
  start(): void;
  /** Resolves when the first connection's cursor is kept, or at once when the channel is off or can't connect soon. */
  connected(): Promise<void>;
  close(): void;
}

/** Where the channel's notifications go: the MCP server of the proxy. */
export type Notify = (notification: ChannelNotification) => Promise<void>;
