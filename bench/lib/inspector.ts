/** The isolate's inspector, as DevTools speaks to it: heap use and CPU profiles. */

export class Inspector {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>();
  #last = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => {
      const message: { id?: number; result?: unknown; error?: { message: string } } = JSON.parse(String(data));
      const waiting = message.id === undefined ? undefined : this.#waiting.get(message.id);
      if (waiting === undefined) return;
      this.#waiting.delete(message.id as number);
      if (message.error) waiting.reject(new Error(message.error.message));
      else waiting.resolve(message.result);
    });
  }

  static async connect(address: string): Promise<Inspector> {
    const socket = new WebSocket(address);
    await new Promise((done, fail) => {
      socket.addEventListener("open", done, { once: true });
      socket.addEventListener("error", () => fail(new Error(`no inspector at ${address}`)), { once: true });
    });
    return new Inspector(socket);
  }

  call<T>(method: string, params: object = {}): Promise<T> {
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve: resolve as (result: unknown) => void, reject });
      this.#socket.send(JSON.stringify({ id, method, params }));
    });
  }

  close(): void {
    this.#socket.close();
  }
}

interface HeapUsage {
  usedSize: number;
  backingStorageSize?: number;
}

/** JavaScript heap and the memory of array buffers, bytes. */
export async function heapBytes(inspector: Inspector): Promise<number> {
  const { usedSize, backingStorageSize = 0 } = await inspector.call<HeapUsage>("Runtime.getHeapUsage");
  return usedSize + backingStorageSize;
}

/**
 * The highest {@link heapBytes} while `work` runs, asked as often as the isolate answers: it does so between two turns
 * of its event loop, so that a peak within one synchronous step is seen only as far as it lasts beyond the step.
 */
export async function peakHeap(inspector: Inspector, work: () => Promise<void>): Promise<number> {
  let peak = 0;
  let done = false;
  const sampling = (async () => {
    while (!done) peak = Math.max(peak, await heapBytes(inspector));
  })();
  try {
    await work();
  } finally {
    done = true;
  }
  await sampling;
  return peak;
}
