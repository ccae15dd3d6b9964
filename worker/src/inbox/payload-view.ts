/** A stored payload as much of it as a reader takes. */
import { findPointer } from "@github-webhook-mcp/shared/json-text/pointer.ts";
import { type PrunedPart, pruneJson } from "@github-webhook-mcp/shared/json-text/prune.ts";
import { unpack } from "../payload/codec.ts";
import type { PackedPayload } from "../ports.ts";
import { InboxError } from "./errors.ts";

export interface PayloadView {
  value: unknown;
  /** Parts were replaced by their sizes. */
  truncated: boolean;
  /** The largest of those parts; pointers begin at the payload's root. */
  parts: PrunedPart[];
}

export interface ViewRequest {
  /** JSON pointer (RFC 6901) to the part that is wanted; absent = all. */
  path?: string;
  /** Most characters that the view takes as JSON, indented by 2. */
  budget: number;
}

/**
 * Unpacks a payload, or a part of it, cut to the budget and to a depth that JSON.stringify survives.
 * @throws InboxError `invalid` when the path is no pointer, or leads nowhere.
 */
export async function viewPayload(payload: PackedPayload, { path = "", budget }: ViewRequest): Promise<PayloadView> {
  const bytes = partAt(await unpack(payload), path);
  // Indentation makes JSON longer, by how much is known only afterwards.
  for (let room = budget; ; ) {
    const { text, truncated, parts } = pruneJson(bytes, room);
    const value: unknown = JSON.parse(text);
    const { length } = JSON.stringify(value, null, 2);
    if (length <= budget || room <= MIN_ROOM) {
      return { value, truncated, parts: parts.map((part) => ({ ...part, pointer: path + part.pointer })) };
    }
    room = Math.max(MIN_ROOM, Math.floor((room * budget * 0.95) / length));
  }
}

/** What pruneJson needs at least. */
const MIN_ROOM = 100;

function partAt(bytes: Uint8Array, path: string): Uint8Array {
  if (path === "") return bytes;
  const found = findPointer(bytes, path);
  switch (found.outcome) {
    case "found":
      return bytes.subarray(found.start, found.end);
    case "not-found":
      throw new InboxError("invalid", `path ${path} leads to nothing in this payload.`);
    case "invalid-pointer":
      throw new InboxError(
        "invalid",
        "path must be a JSON pointer into the payload, such as /commits/0 or /issue/body.",
      );
  }
}
