/** A TCP proxy on this machine whose connections can be cut. */
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

export class CuttingProxy {
  readonly #server: Server;
  readonly #connections: Set<Socket>;

  private constructor(server: Server, connections: Set<Socket>) {
    this.#server = server;
    this.#connections = connections;
  }

  /** Passes everything on to a port of 127.0.0.1. */
  static async to(port: number): Promise<CuttingProxy> {
    const connections = new Set<Socket>();
    const server = createServer((client) => {
      const upstream = connect(port, "127.0.0.1");
      for (const [one, other] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        connections.add(one);
        one.on("error", () => other.destroy());
        one.on("close", () => {
          connections.delete(one);
          other.destroy();
        });
        one.pipe(other);
      }
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    return new CuttingProxy(server, connections);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Breaks every connection, without a word to either side. */
  cut(): void {
    for (const connection of this.#connections) connection.resetAndDestroy();
  }

  /** Connections that are open now carry nothing any more, and neither side is told. */
  freeze(): void {
    for (const connection of this.#connections) {
      connection.unpipe();
      connection.pause();
    }
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((done) => this.#server.close(done));
  }
}
