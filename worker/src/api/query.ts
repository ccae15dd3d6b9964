/** What the REST routes take: the same as the tools, out of query parameters and JSON bodies. */
import { z } from "zod";
import { cursorSchema, eventIdSchema, filterShape, limitSchema, orderSchema } from "../inbox/request.ts";
import { readBody } from "../payload/body.ts";
import { ApiError } from "./errors.ts";

/** A schema for one parameter, which is text. Absent stays absent, for the schema's own default. */
function fromText<Schema extends z.ZodType>(schema: Schema, convert: (text: string) => unknown) {
  return z.preprocess((value) => (typeof value === "string" ? convert(value) : value), schema);
}

const number = (text: string) => (/^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text);
const flag = (text: string) => ({ true: true, "1": true, false: false, "0": false })[text] ?? text;
const list = (text: string) => text.split(",");

const page = {
  limit: fromText(limitSchema, number),
  cursor: cursorSchema.optional(),
  ...filterShape,
  types: fromText(filterShape.types, list),
  exclude_bots: fromText(filterShape.exclude_bots, flag),
  include_processed: fromText(filterShape.include_processed, flag),
};

export const withPayloadsQuery = z.object(page);
export const listQuery = z.object({ ...page, order: orderSchema });
export const eventQuery = z.object({ id: eventIdSchema });

/**
 * Reads query parameters.
 * @throws ApiError 400 for what the schema refuses, and for a parameter given twice (`types` takes a comma list).
 */
export function readQuery<Schema extends z.ZodType>(schema: Schema, url: string): z.output<Schema> {
  const values: Record<string, string> = {};
  for (const [name, value] of new URL(url).searchParams) {
    if (Object.hasOwn(values, name)) throw new ApiError(400, "invalid_request", `${name} is given twice.`);
    values[name] = value;
  }
  return parse(schema, values);
}

/** @throws ApiError 400 with the first thing that is wrong. */
export function parse<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const name = issue?.path.join(".");
  const message = issue && name && !issue.message.startsWith(name) ? `${name}: ${issue.message}` : issue?.message;
  throw new ApiError(400, "invalid_request", `${message ?? "The request can't be understood"}.`);
}

/** More than 100 ids and a cursor need. */
const MAX_BODY_BYTES = 262_144;

/**
 * Reads a JSON body.
 * @throws ApiError 415 for another content type (which a foreign page could post without asking), 413, 400.
 */
export async function readJson<Schema extends z.ZodType>(schema: Schema, request: Request): Promise<z.output<Schema>> {
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json") {
    throw new ApiError(415, "unsupported_media_type", "Send JSON, with Content-Type: application/json.");
  }
  const read = await readBody(request, MAX_BODY_BYTES);
  if ("rejection" in read) {
    throw read.rejection.kind === "too-large"
      ? new ApiError(413, "too_large", `The request body is larger than ${MAX_BODY_BYTES} bytes.`)
      : new ApiError(400, "invalid_request", `The request body can't be read: ${read.rejection.reason}.`);
  }
  let body: unknown;
  try {
    body = JSON.parse(new TextDecoder().decode(read.bytes));
  } catch {
    throw new ApiError(400, "invalid_request", "The request body is not valid JSON.");
  }
  return parse(schema, body);
}
