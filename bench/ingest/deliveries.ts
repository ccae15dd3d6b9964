/**
 * Signed deliveries. A signature covers the body alone, so that bodies are signed once and each request differs by its
 * GUID: making load costs next to nothing.
 */
import { createHmac, randomUUID } from "node:crypto";
import examples from "@octokit/webhooks-examples" with { type: "json" };

/** The length of an average `issue_comment` delivery. */
const COMMENT_BYTES = 12_700;
/** Just under GitHub's limit of 25 MB. */
const LARGE_BYTES = 24_900_000;

/** Where a tenant's ids start: far from those in the example. */
const FIRST_ACCOUNT = 9_000_001;

export interface Body {
  event: string;
  bytes: Buffer;
  signature: string;
}

export interface Delivery {
  guid: string;
  body: Body;
  headers: Record<string, string>;
}

/** One `issue_comment` for each of so many tenants. */
export function commentBodies(tenants: number, secret: string): Body[] {
  return Array.from({ length: tenants }, (_, tenant) => {
    const payload = example("issue_comment");
    own(payload, tenant);
    const { comment } = payload;
    comment.body = "";
    comment.body = prose(COMMENT_BYTES - JSON.stringify(payload).length);
    return signed("issue_comment", payload, secret);
  });
}

/** A `push` of a great many commits. */
export function largeBody(secret: string): Body {
  const payload = example("push");
  own(payload, 0);
  const commit = payload.head_commit ?? payload.commits[0];
  payload.commits = [];
  const words = prose(20_000);
  let left = LARGE_BYTES - JSON.stringify(payload).length;
  for (let n = 0; ; n++) {
    const made = {
      ...commit,
      id: n.toString(16).padStart(40, "0"),
      message: `${n}: ${words.slice(n % 10_000, (n % 10_000) + 100 + (n % 400))}`,
      modified: Array.from({ length: n % 12 }, (_, i) => `src/part-${n % 97}/module-${i}.ts`),
    };
    const size = JSON.stringify(made).length + 1;
    if (size > left) break;
    payload.commits.push(made);
    left -= size;
  }
  payload.commits[0].message += "x".repeat(Math.max(0, left + 1));
  return signed("push", payload, secret);
}

/** Deals deliveries of some bodies in turn, each with its own GUID, and remembers what it dealt. */
export class Dealer {
  /** The body of every delivery dealt, by GUID. */
  readonly dealt = new Map<string, Body>();
  readonly #bodies: readonly Body[];
  #next = 0;

  constructor(bodies: readonly Body[]) {
    this.#bodies = bodies;
  }

  next(): Delivery {
    const body = this.#bodies[this.#next++ % this.#bodies.length]!;
    const guid = randomUUID();
    this.dealt.set(guid, body);
    return {
      guid,
      body,
      headers: {
        "Content-Type": "application/json",
        "User-Agent": "GitHub-Hookshot/bench",
        "CF-Connecting-IP": "127.0.0.1",
        "X-GitHub-Event": body.event,
        "X-GitHub-Delivery": guid,
        "X-GitHub-Hook-ID": "292430182",
        "X-GitHub-Hook-Installation-Target-ID": "79929171",
        "X-GitHub-Hook-Installation-Target-Type": "integration",
        "X-Hub-Signature-256": body.signature,
      },
    };
  }
}

// biome-ignore lint/suspicious/noExplicitAny: a payload of the examples, changed in a few places
type Payload = any;

function example(event: string): Payload {
  const found = examples.find(({ name }) => name === event)?.examples.find((payload) => "organization" in payload);
  if (found === undefined) throw new Error(`@octokit/webhooks-examples has no ${event} of an organization`);
  return structuredClone(found);
}

/** Makes a payload one of a tenant's own: an account, a repository and an installation of each. */
function own(payload: Payload, tenant: number): void {
  const accountId = FIRST_ACCOUNT + tenant;
  const login = `tenant-${tenant}`;
  Object.assign(payload.repository, { id: accountId + 1_000_000, full_name: `${login}/repository` });
  Object.assign(payload.repository.owner, { id: accountId, login, type: "Organization" });
  Object.assign(payload.organization, { id: accountId, login });
  payload.installation = { id: accountId + 2_000_000, node_id: "MDIzOkludGVncmF0aW9uSW5zdGFsbGF0aW9uMQ==" };
}

function signed(event: string, payload: Payload, secret: string): Body {
  const bytes = Buffer.from(JSON.stringify(payload));
  return { event, bytes, signature: `sha256=${createHmac("sha256", secret).update(bytes).digest("hex")}` };
}

const WORDS =
  "the build fails when a cursor moves past an event that nobody has read so this change keeps the position in one place and adds a test for it please review the migration before merging since it touches storage";

/** Text of exactly so many characters, with the repetition of prose, not of a filler. */
function prose(length: number): string {
  const words = WORDS.split(" ");
  let state = 42;
  let text = "";
  while (text.length < length) {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    text += `${words[state % words.length]} `;
  }
  return text.slice(0, Math.max(0, length));
}
