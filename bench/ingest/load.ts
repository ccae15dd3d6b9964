/** Load: as fast as so many connections go (autocannon), at a steady rate, and one at a time. */
import { Agent, request as httpRequest } from "node:http";
import autocannon from "autocannon";
import type { Dealer, Delivery } from "./deliveries.ts";

/** Nothing in a bench takes longer than this. */
const TIMEOUT_S = 60;

/**
 * Sends `amount` deliveries over `connections`, each as soon as the one before it is answered.
 * @returns milliseconds from the first request to the last answer
 */
export async function burst(url: string, dealer: Dealer, amount: number, connections: number): Promise<number> {
  const answers = new Map<number, number>();
  let refused: string | null = null;
  let last = 0;
  const start = performance.now();
  const result = await autocannon({
    url,
    connections: Math.min(connections, amount),
    amount,
    timeout: TIMEOUT_S,
    requests: [
      {
        method: "POST",
        path: new URL(url).pathname,
        setupRequest: (request) => {
          const { body, headers } = dealer.next();
          return { ...request, headers, body: body.bytes };
        },
        onResponse: (status, body) => {
          last = performance.now();
          answers.set(status, (answers.get(status) ?? 0) + 1);
          if (status !== 202) refused ??= `${status} ${body}`;
        },
      },
    ],
  });
  if (refused !== null || answers.get(202) !== amount || result.errors + result.timeouts > 0) {
    throw new Error(`${url}: ${JSON.stringify([...answers])} of ${amount}, ${result.errors} errors; ${refused ?? ""}`);
  }
  return last - start;
}

/**
 * Sends a delivery every 1/`perSecond` seconds, whether or not earlier ones are answered.
 * @returns milliseconds from when each was due to its answer, so that a stall counts for all that it holds up
 */
export async function steady(url: string, dealer: Dealer, perSecond: number, seconds: number): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  const start = performance.now();
  const waits = Array.from({ length: perSecond * seconds }, async (_, n) => {
    const due = start + (n * 1000) / perSecond;
    await new Promise((done) => setTimeout(done, Math.max(0, due - performance.now())));
    await send(url, dealer.next(), agent);
    return performance.now() - due;
  });
  try {
    return await Promise.all(waits);
  } finally {
    agent.destroy();
  }
}

/** Sends one delivery. Fails where it is not accepted. */
export function send(url: string, { headers, body }: Delivery, agent?: Agent): Promise<void> {
  return new Promise((done, fail) => {
    const request = httpRequest(
      url,
      {
        method: "POST",
        agent,
        headers: { ...headers, "Content-Length": body.bytes.length },
        timeout: TIMEOUT_S * 1000,
      },
      (response) => {
        response.setEncoding("utf8");
        let text = "";
        response.on("data", (chunk) => {
          text += chunk;
        });
        response.on("end", () => {
          if (response.statusCode === 202) done();
          else fail(new Error(`${url}: ${response.statusCode} ${text}`));
        });
      },
    );
    request.on("timeout", () => request.destroy(new Error(`${url}: no answer`)));
    request.on("error", fail);
    request.end(body.bytes);
  });
}
