/**
 * Where each of GitHub's event types says what it is about. To see what a type gives, read its row; to support a new
 * type, add one: https://docs.github.com/en/webhooks/webhook-events-and-payloads.
 */

import { administration } from "./administration.ts";
import { automation } from "./automation.ts";
import { code } from "./code.ts";
import { conversations } from "./conversations.ts";
import { planning } from "./planning.ts";
import { at, type EventFields } from "./rules.ts";
import { security } from "./security.ts";

const rows = new Map<string, EventFields>(
  [conversations, planning, code, automation, security, administration].flatMap((area) => Object.entries(area)),
);

/** The event types that have a row of their own. */
export const knownTypes: ReadonlySet<string> = new Set(rows.keys());

/** How the thing that an unknown type is about usually names its parts; paths start at that thing. */
const anything: EventFields = {
  number: "number",
  title: ["title", "display_title", "name", "summary", "login", "slug"],
  url: "html_url",
  branch: "head_branch",
  sha: "head_sha",
  conclusion: "conclusion",
  association: "author_association",
  body: ["body", "description", "message", "note", "comment", "requester_comment"],
};

/** Members that any payload may carry, and that are never what the event is about. */
const surroundings = new Set(["repository", "organization", "enterprise", "installation", "sender", "changes"]);

/**
 * The row of a type, and the part of the payload that its paths start from.
 *
 * A type that this version doesn't know is about the member that bears its name, as most of GitHub's are
 * (`repository_ruleset`), else about the first member that has a page of its own.
 */
export function fieldsOf(type: string, payload: unknown): { fields: EventFields; root: unknown } {
  const fields = rows.get(type);
  return fields ? { fields, root: payload } : { fields: anything, root: subjectOf(type, payload) };
}

function subjectOf(type: string, payload: unknown): unknown {
  if (typeof payload !== "object" || payload === null || Array.isArray(payload)) return undefined;
  if (Object.hasOwn(payload, type) && !surroundings.has(type)) return (payload as Record<string, unknown>)[type];
  return Object.entries(payload).find(([key, member]) => !surroundings.has(key) && at(member, "html_url"))?.[1];
}
