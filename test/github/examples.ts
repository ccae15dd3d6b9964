import { createRequire } from "node:module";

type Payload = Record<string, unknown>;

/** The first of octokit's example payloads of an event (with that action, where one is named). */
export function exampleOf(event: string, action?: string): Payload {
  const all: { name: string; examples: Payload[] }[] = createRequire(import.meta.url)("@octokit/webhooks-examples");
  const examples = all.find(({ name }) => name === event)?.examples ?? [];
  const example = examples.find((payload) => action === undefined || payload.action === action);
  if (!example) throw new Error(`there is no example of ${event} ${action ?? ""}`);
  return example;
}
