import type { CallToolResult, McpServer, ToolAnnotations } from "@modelcontextprotocol/server";
import { z } from "zod";
import { CodeRagError } from "../errors.ts";
import type { IndexService } from "../host/index-service.ts";
import { requireKnownFilter } from "./known-filter.ts";

/** What a tool's handler gives: fields for programs, and the same said for a model to read. */
export interface ToolAnswer<Output> {
  readonly structured: Output;
  readonly text: string;
}

export interface Tool {
  readonly name: string;
  readonly annotations: ToolAnnotations;
  register(server: McpServer, service: IndexService): void;
}

interface ToolDefinition<Input extends z.ZodRawShape, Output extends z.ZodRawShape> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  readonly output: Output;
  readonly annotations?: ToolAnnotations;
  /** Runs even where the index could not be made: status tools say why. */
  readonly always?: boolean;
  handle(
    service: IndexService,
    input: z.infer<z.ZodObject<Input>>,
  ): ToolAnswer<z.infer<z.ZodObject<Output>>> | Promise<ToolAnswer<z.infer<z.ZodObject<Output>>>>;
}

const READ_ONLY: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
const indexing = z.string().optional().describe("present while the index is not complete: how far it is");

/**
 * Makes a tool. Every answer carries `indexing` while the index is being built; an expected error is an `isError`
 * answer of one line, which a model can act on, and an unexpected one says nothing about this machine.
 */
export function defineTool<Input extends z.ZodRawShape, Output extends z.ZodRawShape>(
  definition: ToolDefinition<Input, Output>,
): Tool {
  const annotations = { title: definition.title, ...READ_ONLY, ...definition.annotations };
  return {
    name: definition.name,
    annotations,
    register(server, service) {
      server.registerTool(
        definition.name,
        {
          title: definition.title,
          description: definition.description,
          inputSchema: z.object(definition.input),
          outputSchema: z.object({ ...definition.output, indexing }),
          annotations,
        },
        async (input): Promise<CallToolResult> => {
          try {
            if (!definition.always) service.requireUsable();
            requireKnownFilter(service.sql, input, service.notice === undefined);
            const answer = await definition.handle(service, input as z.infer<z.ZodObject<Input>>);
            const notice = service.notice;
            return {
              content: [{ type: "text", text: notice ? `${answer.text}\n\n(${notice})` : answer.text }],
              structuredContent: notice ? { ...answer.structured, indexing: notice } : { ...answer.structured },
            };
          } catch (error) {
            return { isError: true, content: [{ type: "text", text: errorText(definition.name, error) }] };
          }
        },
      );
    },
  };
}

function errorText(tool: string, error: unknown): string {
  if (error instanceof CodeRagError) return error.message;
  console.error(`code-rag: ${tool}:`, error);
  return `${tool} failed: an internal error, written to the server's log.`;
}
