/** GitHub, as far as it posts webhooks: signed deliveries with the headers of a repository hook. */
import { createHmac, randomUUID } from "node:crypto";

export interface Delivery {
  guid: string;
  event: string;
  body: string;
}

export function delivery(event: string, payload: object, guid: string = randomUUID()): Delivery {
  return { guid, event, body: JSON.stringify(payload) };
}

/** https://docs.github.com/en/webhooks/using-webhooks/best-practices-for-using-webhooks#respond-within-10-seconds */
const GITHUB_PATIENCE_MS = 10_000;

/** Sends one; the answer of the receiver. */
export async function deliver(url: string, secret: string, { guid, event, body }: Delivery) {
  const answer = await fetch(`${url}/webhooks/github`, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      "User-Agent": "GitHub-Hookshot/test",
      "X-GitHub-Event": event,
      "X-GitHub-Delivery": guid,
      "X-GitHub-Hook-ID": "1",
      "X-GitHub-Hook-Installation-Target-ID": "1",
      "X-GitHub-Hook-Installation-Target-Type": "repository",
      "X-Hub-Signature-256": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`,
    },
    body,
    signal: AbortSignal.timeout(GITHUB_PATIENCE_MS),
  });
  const text = await answer.text();
  return { status: answer.status, body: answer.ok ? (JSON.parse(text) as Accepted) : text };
}

interface Accepted {
  accepted: true;
  id: string;
  duplicate?: true;
}

/** Runs `work` over all items, `width` at a time. */
export async function inParallel<T>(
  items: readonly T[],
  width: number,
  work: (item: T, index: number) => Promise<void>,
) {
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < items.length; index = next++) await work(items[index]!, index);
  };
  await Promise.all(Array.from({ length: width }, worker));
}
