/**
 * The same response; `ended` is called once, when its body has ended or its reader has gone. One that is no event
 * stream has ended already.
 */
export function whenEnded(response: Response, ended: () => void): Response {
  if (!response.body || response.headers.get("content-type") !== "text/event-stream") {
    ended();
    return response;
  }
  const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        ended();
        controller.close();
      } catch (error) {
        ended();
        controller.error(error);
      }
    },
    async cancel(reason) {
      ended();
      await reader.cancel(reason);
    },
  });
  return new Response(body, response);
}
