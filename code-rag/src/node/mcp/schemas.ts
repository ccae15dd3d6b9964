import { z } from "zod";
import { UNIT_KINDS } from "../../engine/units/unit.ts";

/** Shapes that several tools share. Numbers are clamped, not refused: a model that asks for 1,000 gets the most there is. */

export const repo = z
  .string()
  .optional()
  .describe("only this repository, where the index has several (index_status names them)");
export const globs = z
  .array(z.string().max(500))
  .max(50)
  .optional()
  .describe("only paths that match one of these globs, such as src/**/*.ts; ! in front excludes");

export const declaration = z.object({
  path: z.string(),
  start_line: z.number().int(),
  end_line: z.number().int(),
  kind: z.enum(UNIT_KINDS),
  symbol: z.string().describe("qualified name"),
  signature: z.string(),
});

export const page = {
  path: z.string(),
  language: z.string(),
  start_line: z.number().int(),
  end_line: z.number().int(),
  total_lines: z.number().int(),
  next_offset: z.number().int().nullable(),
  text: z.string().describe("lines with their numbers"),
};

export const query = z.string().max(10_000);
