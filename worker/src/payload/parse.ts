/**
 * From a verified body to the JSON text that is stored and the object that the event is read from.
 *
 * Up to 1 MiB that object is the whole payload; above, its outline: parsing 24.9 MB whole takes 404 MB, and an isolate
 * has 128. Only bytes whose signature was checked belong here.
 */
import { isUtf8 } from "node:buffer";
import { type JsonKind, outlineJson } from "@github-webhook-mcp/shared/json-text/outline.ts";
import { checkJson, type JsonTextError } from "@github-webhook-mcp/shared/json-text/scanner.ts";
import { formField } from "./form.ts";

/** Larger texts are outlined, not parsed. */
const PARSED_WHOLE = 1_048_576;

export interface ParsedPayload {
  /** The JSON text: valid UTF-8, without byte order mark. */
  json: Uint8Array;
  /** What it says; above 1 MiB without what does not fit an outline (see json-text/outline.ts). */
  value: Record<string, unknown>;
}

/** `reason` completes "Invalid JSON payload: …". */
export interface PayloadRejection {
  kind: "body";
  reason: string;
}

// The one byte order mark that is allowed is cut off before.
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Reads a webhook's body: JSON, or a form with the JSON in its field `payload`. A missing Content-Type is taken for
 * JSON. Parameters and case of the media type don't matter.
 */
export function parsePayload(
  body: Uint8Array,
  contentType: string | null,
): ParsedPayload | { rejection: PayloadRejection } {
  let text: Uint8Array;
  switch (mediaType(contentType)) {
    case "":
    case "application/json":
      text = body;
      break;
    case "application/x-www-form-urlencoded": {
      const field = formField(body, "payload");
      if (field === null) return reject('the form has no field "payload"');
      text = field;
      break;
    }
    default:
      return reject("the content type must be application/json or application/x-www-form-urlencoded");
  }
  if (!isUtf8(text)) return reject("it is not valid UTF-8");
  return text.length <= PARSED_WHOLE ? parseWhole(text) : outlined(text);
}

function parseWhole(text: Uint8Array): ParsedPayload | { rejection: PayloadRejection } {
  const json = withoutByteOrderMark(text);
  let value: unknown;
  try {
    value = JSON.parse(decoder.decode(json));
  } catch (cause) {
    const error = checkJson(text);
    // Either both refuse a text or none does; if not, the engine's complaint is the one to hear about.
    if (error === null) throw cause;
    return notJson(error);
  }
  return isObject(value) ? { json, value } : notAnObject(kindOf(value));
}

function outlined(text: Uint8Array): ParsedPayload | { rejection: PayloadRejection } {
  const outline = outlineJson(text);
  switch (outline.outcome) {
    case "ok":
      return { json: withoutByteOrderMark(text), value: outline.value };
    case "invalid":
      return notJson(outline.error);
    case "not-an-object":
      return notAnObject(outline.found);
  }
}

function notJson({ reason, offset }: JsonTextError): { rejection: PayloadRejection } {
  return reject(`not JSON at byte ${offset}: ${reason}`);
}

function notAnObject(found: JsonKind): { rejection: PayloadRejection } {
  const article = found === "array" ? "an " : found === "null" ? "" : "a ";
  return reject(`it must be an object, not ${article}${found}`);
}

function reject(reason: string): { rejection: PayloadRejection } {
  return { rejection: { kind: "body", reason } };
}

function mediaType(contentType: string | null): string {
  return (contentType ?? "").split(";", 1)[0]!.trim().toLowerCase();
}

function withoutByteOrderMark(bytes: Uint8Array): Uint8Array {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function kindOf(value: unknown): JsonKind {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value === "string" ? "string" : typeof value === "number" ? "number" : "boolean";
}
