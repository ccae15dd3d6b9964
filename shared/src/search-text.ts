/** What full-text search finds an event by. */

import type { PayloadSummary, SearchText } from "./events.ts";
import { first, isText } from "./summarize/rules.ts";
import { fieldsOf } from "./summarize/table.ts";
import { cutText } from "./text.ts";

/** UTF-16 units of the body. The index is for finding an event; its whole text is in the payload. */
const BODY_LIMIT = 8_000;

/**
 * The searchable text of an event. Pure and total: any payload gives one, nothing is thrown.
 *
 * @param summary the payload's summary: its title, repository, sender and branch are searched as they are shown
 * @returns five texts, `""` where there is none, without NUL characters (SQLite ends a text there) and well-formed
 */
export function searchText(type: string, payload: unknown, summary: PayloadSummary): SearchText {
  return {
    title: storable(summary.title ?? ""),
    body: bodyText(type, payload),
    repository: storable(summary.repo ?? ""),
    sender: storable(summary.sender ?? ""),
    branch: storable(summary.head_branch ?? ""),
  };
}

/** Each of the row's texts once, a blank line between them; stops when there is enough. */
function bodyText(type: string, payload: unknown): string {
  const { fields, root } = fieldsOf(type, payload);
  const texts = new Set<string>();
  let length = 0;
  for (const rule of fields.body ?? []) {
    const value = first(root, rule, isText);
    if (value === null) continue;
    texts.add(storable(cutText(value, BODY_LIMIT)));
    length += value.length;
    if (length >= BODY_LIMIT) break;
  }
  return cutText([...texts].join("\n\n"), BODY_LIMIT);
}

function storable(text: string): string {
  return text.replaceAll("\0", "").toWellFormed();
}
