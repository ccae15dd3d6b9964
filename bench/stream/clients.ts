/**
 * Clients of `GET /events` that cost next to nothing: bare TCP connections whose bytes are searched for event ids, so
 * that a thousand of them on the same machine hardly slow the server down. WebSocket frames from a server are not
 * masked (RFC 6455 §5.1), and event streams are text: the same search finds the frames of both.
 */
import { connect, type Socket } from "node:net";

export type Kind = "WebSocket" | "SSE";

const ID = Buffer.from('"event_id":"');
const ID_LENGTH = 36;

export class Client {
  /** Ids in the order of their arrival, and when each came (`performance.now`). */
  readonly ids: string[] = [];
  readonly times: number[] = [];
  readonly #socket: Socket;
  #rest: Buffer = Buffer.alloc(0);

  private constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** Connects, and waits for the first frame. */
  static open(origin: string, token: string, kind: Kind): Promise<Client> {
    const { hostname, port } = new URL(origin);
    const socket = connect(Number(port), hostname);
    socket.setNoDelay(true);
    const client = new Client(socket);
    const upgrade = [
      "Connection: Upgrade",
      "Upgrade: websocket",
      "Sec-WebSocket-Version: 13",
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ];
    const lines = [
      "GET /events?types=issue_comment HTTP/1.1",
      `Host: ${hostname}:${port}`,
      `Authorization: Bearer ${token}`,
      ...(kind === "WebSocket" ? upgrade : ["Accept: text/event-stream"]),
    ];
    return new Promise((done, fail) => {
      let head = "";
      socket.on("error", fail);
      socket.on("close", () => fail(new Error(`the stream was closed: ${head.slice(0, 300)}`)));
      socket.on("data", (data: Buffer) => {
        if (head.includes('"connected"')) return client.#read(data);
        head += data.toString("latin1");
        if (head.includes('"connected"')) done(client);
      });
      socket.write(`${lines.join("\r\n")}\r\n\r\n`);
    });
  }

  close(): void {
    this.#socket.removeAllListeners("close");
    this.#socket.destroy();
  }

  #read(data: Buffer): void {
    const now = performance.now();
    const bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, data]) : data;
    let end = 0;
    for (let at = bytes.indexOf(ID); at >= 0; at = bytes.indexOf(ID, end)) {
      if (at + ID.length + ID_LENGTH > bytes.length) break;
      end = at + ID.length + ID_LENGTH;
      this.ids.push(bytes.toString("latin1", at + ID.length, end));
      this.times.push(now);
    }
    // An id may be cut in two.
    this.#rest = bytes.subarray(Math.max(end, bytes.length - ID.length - ID_LENGTH));
  }
}

/** Opens so many streams, a few at a time. */
export async function openClients(origin: string, token: string, kind: Kind, amount: number): Promise<Client[]> {
  const clients: Client[] = [];
  while (clients.length < amount) {
    const batch = Array.from({ length: Math.min(25, amount - clients.length) }, () => Client.open(origin, token, kind));
    clients.push(...(await Promise.all(batch)));
  }
  return clients;
}
