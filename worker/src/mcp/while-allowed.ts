/** Answers that last end with their caller's access: it was checked when they began. */
import { AccessWatch, type AccessWatchDeps } from "../grants/access-watch.ts";

export interface WhileAllowed extends Pick<AccessWatchDeps, "viewer" | "check" | "everyMs"> {
  /** Also ends an answer that was made for what the viewer saw before they saw more: its client asks again. */
  endWhenGrown: boolean;
}

/** The same response; a stream of events ends when access does. Whoever produces it is told by a cancel. */
export function whileAllowed(response: Response, { endWhenGrown, ...access }: WhileAllowed): Response {
  if (!response.body || response.headers.get("content-type") !== "text/event-stream") return response;
  const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader();
  let watch: AccessWatch;
  let ended = false;
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const end = () => {
          ended = true;
          watch.stop();
          controller.close();
          reader.cancel().catch(() => {});
        };
        const onGrown = () => {
          if (endWhenGrown) end();
        };
        watch = new AccessWatch({ ...access, onGrown, onLost: end, onUnknown: end });
      },
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (ended) return;
          if (!done) return controller.enqueue(value);
          watch.stop();
          controller.close();
        } catch (error) {
          watch.stop();
          if (!ended) controller.error(error);
        }
      },
      async cancel(reason) {
        watch.stop();
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, response);
}
