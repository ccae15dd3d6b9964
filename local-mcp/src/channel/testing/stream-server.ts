/** A Worker's `/events` for the channel's tests: real HTTP and WebSocket, events in memory, replay by cursor. */
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";

export interface TestEvent {
  seq: number;
  receivedAt: number;
  type: string;
  sender: string;
}

export class StreamServer {
  /** Bearer tokens that are let in. */
  readonly tokens = new Set(["token-1"]);
  readonly requests: { token: string; cursor: string | null }[] = [];
  /** Says nothing more, and hears nothing, while the sockets stay open. */
  silent = false;
  /** Does not answer a ping. */
  deaf = false;
  /** Closes every stream with this code, right behind its first frame. */
  endsWith: number | null = null;
  /** What requests get that want no stream. */
  answer: RequestListener = (_, response) => response.writeHead(404).end();
  readonly #events: TestEvent[] = [];
  readonly #sockets = new Set<WebSocket>();
  readonly #server: Server = createServer((request, response) => this.answer(request, response));

  async start(): Promise<string> {
    const webSockets = new WebSocketServer({ noServer: true });
    this.#server.on("upgrade", (request, socket, head) => {
      const { token, cursor } = this.#note(request);
      if (!this.tokens.has(token)) {
        socket.end("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n");
        return;
      }
      webSockets.handleUpgrade(request, socket, head, (opened) => this.#open(opened, cursor));
    });
    await new Promise<void>((done) => this.#server.listen(0, "127.0.0.1", done));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Takes an event and sends it to whoever listens. */
  add({ type = "issues", sender = "mona", receivedAt = Date.now() }: Partial<TestEvent> = {}): string {
    const event = { seq: this.#events.length + 1, receivedAt, type, sender };
    this.#events.push(event);
    for (const socket of this.#sockets) this.#send(socket, event);
    return idOf(event);
  }

  /** A heartbeat, out of turn. */
  beat(): void {
    for (const socket of this.#sockets) socket.send(JSON.stringify({ heartbeat: Date.now() }));
  }

  get listeners(): number {
    return this.#sockets.size;
  }

  /** Ends every connection as a deployment does, or with a code of ours. */
  cut(code?: number): void {
    for (const socket of this.#sockets) {
      if (code === undefined) socket.terminate();
      else socket.close(code);
    }
    this.#sockets.clear();
  }

  async stop(): Promise<void> {
    this.cut();
    this.#server.closeAllConnections();
    await new Promise((done) => this.#server.close(done));
  }

  #note(request: IncomingMessage): { token: string; cursor: string | null } {
    const token = (request.headers.authorization ?? "").replace("Bearer ", "");
    const cursor = new URL(request.url ?? "/", "http://x").searchParams.get("cursor");
    this.requests.push({ token, cursor });
    return { token, cursor };
  }

  #open(socket: WebSocket, cursor: string | null): void {
    socket.on("message", (data) => {
      if (String(data) === "ping" && !this.silent && !this.deaf) socket.send(JSON.stringify({ pong: Date.now() }));
    });
    socket.on("close", () => this.#sockets.delete(socket));
    const from = cursor === null ? this.#events.length : Number.parseInt(cursor.split(".")[1] ?? "", 36);
    socket.send(JSON.stringify({ status: "connected", stores: 1, cursor: cursorAt(from) }));
    if (this.endsWith !== null) {
      socket.close(this.endsWith);
      return;
    }
    for (const event of this.#events.slice(from)) this.#send(socket, event);
    this.#sockets.add(socket);
  }

  #send(socket: WebSocket, event: TestEvent): void {
    if (!this.silent) socket.send(JSON.stringify(frameOf(event)));
  }
}

const cursorAt = (seq: number): string => `s1~1.${seq.toString(36)}.v`;
const idOf = ({ seq }: TestEvent): string => `event-${seq}`;

function frameOf(event: TestEvent) {
  const { seq, receivedAt, type, sender } = event;
  const summary = {
    id: idOf(event),
    type,
    received_at: new Date(receivedAt).toISOString(),
    processed: false,
    trigger_status: null,
    last_triggered_at: null,
    action: "opened",
    repo: "octo/app",
    sender,
    number: seq,
    title: `event ${seq}`,
    url: `https://github.com/octo/app/issues/${seq}`,
    head_branch: null,
    head_sha: null,
    conclusion: null,
    cursor: `e1~1.1.${seq.toString(36)}.v`,
  };
  return { event_id: idOf(event), type, summary, cursor: cursorAt(seq) };
}
