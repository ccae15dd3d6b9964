/**
 * What an event says about itself, read from its payload.
 *
 * Pure and total: whatever the payload is, the answer has the right types, and nothing is thrown. Which member of
 * which event type is the title, the url … stands in summarize/table.ts.
 */

import type { PayloadSummary } from "./events.ts";
import { first, isPositiveInteger, isText, type Rule } from "./summarize/rules.ts";
import { fieldsOf } from "./summarize/table.ts";
import { cutText } from "./text.ts";

/** UTF-16 units. A page of 20 summaries has 17 KB to live in; GitHub's own titles end at 256. */
const TITLE_LIMIT = 300;

/** Longer addresses are dropped, not cut: half an address is a wrong one. */
const URL_LIMIT = 2_048;

/**
 * The summary of a payload. Members that the event has no value for are null; `author_association` and `sender_type`
 * are absent where there is nothing to say.
 *
 * @param type the event's name, `X-GitHub-Event`; an unknown one is read by what payloads have in common
 * @param payload the parsed JSON, of any shape
 */
export function summarizePayload(type: string, payload: unknown): PayloadSummary {
  const { fields, root } = fieldsOf(type, payload);
  const association = text(root, fields.association);
  const senderType = text(payload, "sender.type");
  return {
    action: text(payload, "action"),
    repo: text(payload, "repository.full_name"),
    sender: text(payload, "sender.login"),
    number: first(root, fields.number, isPositiveInteger),
    title: text(root, fields.title),
    url: first(root, fields.url, isPageAddress),
    head_branch: text(root, fields.branch),
    head_sha: text(root, fields.sha),
    conclusion: text(root, fields.conclusion),
    ...(association !== null && { author_association: association }),
    ...(senderType !== null && senderType !== "User" && { sender_type: senderType }),
  };
}

/** Every text is bounded: verification can be off, and a payload then says anything. */
function text(payload: unknown, rule: Rule | undefined): string | null {
  const value = first(payload, rule, isText);
  return value === null ? null : cutText(value, TITLE_LIMIT, "…");
}

/** What a browser opens; `target_url` and its like are set by third parties. */
function isPageAddress(value: unknown): value is string {
  return isText(value) && value.length <= URL_LIMIT && /^https?:\/\/\S+$/i.test(value);
}
