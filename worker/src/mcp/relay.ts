/** Hands a streamed answer on while watching both of its ends: its source, and the reader who may hang up. */

export interface RelayOptions {
  /** Aborted when the reader has gone: the source is cancelled at once, not at its next write. */
  signal?: AbortSignal;
  /** Called once, when the source has ended or its reader has gone. */
  ended?: () => void;
}

/** The same response. One that is no event stream is handed on as it is, and has ended already. */
export function relay(response: Response, { signal, ended }: RelayOptions): Response {
  if (!response.body || response.headers.get("content-type") !== "text/event-stream") {
    ended?.();
    return response;
  }
  const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader();
  let over = false;
  const end = () => {
    if (over) return;
    over = true;
    signal?.removeEventListener("abort", hangUp);
    ended?.();
  };
  const hangUp = () => {
    end();
    // The source may have failed on its own meanwhile; there is nobody left to tell.
    reader.cancel(signal?.reason).catch(() => {});
  };
  signal?.addEventListener("abort", hangUp);
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        end();
        controller.close();
      } catch (error) {
        end();
        controller.error(error);
      }
    },
    cancel: hangUp,
  });
  return new Response(body, response);
}
