/** GitHub's example payloads as the tests walk them: 58 event types, 329 payloads, @octokit/webhooks-examples. */

import { createHash } from "node:crypto";
import examples from "@octokit/webhooks-examples" with { type: "json" };

export interface ExamplePayload {
  type: string;
  /** Names the payload by its content, so that a row stays right when the package adds or moves examples. */
  digest: string;
  payload: unknown;
}

// The package's main file is JSON, which `import` takes from a dependency only with an attribute.
const definitions: { name: string; examples: unknown[] }[] = examples;

export const examplePayloads: readonly ExamplePayload[] = definitions.flatMap(({ name, examples }) =>
  examples.map((payload) => ({ type: name, digest: digestOf(payload), payload })),
);

function digestOf(payload: unknown): string {
  return createHash("sha256").update(JSON.stringify(payload)).digest("hex").slice(0, 12);
}
