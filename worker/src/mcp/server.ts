/** One request's MCP server: tools, resources and prompt over the caller's own inbox. Nothing in it outlives the request. */
import { type McpRequestContext, McpServer } from "@modelcontextprotocol/server";
import { InboxError } from "../inbox/errors.ts";
import { Inbox } from "../inbox/inbox.ts";
import { errorText, log } from "../log.ts";
import type { StoresPort } from "../ports.ts";
import type { Viewer } from "../viewer.ts";
import { INSTRUCTIONS } from "./instructions.ts";
import { registerPrompt } from "./prompt.ts";
import { registerResources } from "./resources.ts";
import { needsScope } from "./scope.ts";
import { tools } from "./tools/registry.ts";
import { type Tool, type ToolContext, toCallResult } from "./tools/tool.ts";

export interface ServerDeps {
  stores: StoresPort;
  /** Origin under which clients reach the Worker. */
  publicUrl: string;
  version: string;
}

/** The viewer comes with each request; see agent.ts. */
export function buildServer(
  { era, authInfo }: McpRequestContext,
  { stores, publicUrl, version }: ServerDeps,
): McpServer {
  const inbox = new Inbox({ stores, viewer: authInfo?.extra?.viewer as Viewer });
  const server = new McpServer(
    { name: "github-webhook-mcp", title: "GitHub webhook events", version },
    {
      instructions: INSTRUCTIONS,
      capabilities: {
        tools: { listChanged: false },
        prompts: { listChanged: false },
        // Updates travel by subscriptions/listen; a 2025 client has no session that they could reach.
        resources: { listChanged: false, ...(era === "modern" && { subscribe: true }) },
      },
    },
  );
  for (const tool of tools) registerTool(server, tool, { inbox, publicUrl });
  registerResources(server, inbox, publicUrl);
  registerPrompt(server);
  return server;
}

function registerTool(server: McpServer, tool: Tool, context: Omit<ToolContext, "signal">): void {
  const { name, title, description, inputSchema, outputSchema, annotations, meta } = tool;
  server.registerTool(
    name,
    { title, description, inputSchema, outputSchema, annotations, _meta: meta, scopeChallenge: needsScope(tool.scope) },
    async (args, { mcpReq }) => {
      try {
        return toCallResult(await tool.run(args, { ...context, signal: mcpReq.signal }));
      } catch (error) {
        return { isError: true, content: [{ type: "text", text: sentence(name, error) }] };
      }
    },
  );
}

/** What the model reads is text that we wrote; the cause goes to the log. */
function sentence(tool: string, error: unknown): string {
  if (error instanceof InboxError) return error.message;
  log("error", "tool_failed", { tool, error: errorText(error) });
  return `${tool} failed on the server. This says nothing about your events: try again in a minute.`;
}
