/** Deliveries for the store's tests: small, distinct, and true to shape. */
import type { PayloadSummary } from "@github-webhook-mcp/shared/events.ts";
import type { IngestDelivery } from "../../ports.ts";

let counter = 0;

export interface DeliveryOptions {
  account?: number;
  /** Names the delivery; the same number is a redelivery. */
  n?: number;
  /** Names the hook that delivers. */
  hook?: number;
  type?: string;
  repo?: number;
  repoName?: string | null;
  sender?: string;
  bot?: boolean;
  title?: string;
  body?: string;
  chunks?: Uint8Array[];
  exempt?: boolean;
  lifecycle?: "installed" | "uninstalled";
}

/** The GUID of delivery number `n`. */
export function guidOf(n: number): string {
  return `00000000-0000-4000-8000-${n.toString(16).padStart(12, "0")}`;
}

export function delivery(options: DeliveryOptions = {}): IngestDelivery {
  const { account = 1, n = ++counter, hook = 1, type = "issues", repo = 10 } = options;
  const repoName = options.repoName === undefined ? (repo === 0 ? null : `octo/repo-${repo}`) : options.repoName;
  const key = new Uint8Array(24);
  const guid = guidOf(n);
  guid
    .replaceAll("-", "")
    .match(/../g)!
    .forEach((byte, i) => {
      key[i] = Number.parseInt(byte, 16);
    });
  key[23] = hook;
  const sender = options.sender ?? "mona";
  const title = options.title ?? `event ${n}`;
  const summary: PayloadSummary = {
    action: "opened",
    repo: repoName,
    sender,
    number: n,
    title,
    url: `https://github.com/${repoName}/issues/${n}`,
    head_branch: null,
    head_sha: null,
    conclusion: null,
    ...(options.bot ? { sender_type: "Bot" } : {}),
  };
  const chunks = options.chunks ?? [new TextEncoder().encode(`{"n":${n}}`)];
  return {
    accountId: account,
    key,
    guid,
    deliveryId: guid,
    type,
    repository: repo,
    repositoryName: repoName,
    summary: JSON.stringify(summary),
    text: { title, body: options.body ?? "", repository: repoName ?? "", sender, branch: "" },
    payload: { size: chunks.reduce((sum, { length }) => sum + length, 0), chunks },
    quotaExempt: options.exempt ?? false,
    ...(options.lifecycle ? { lifecycle: options.lifecycle } : {}),
  };
}
