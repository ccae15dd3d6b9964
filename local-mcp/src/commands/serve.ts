/** An MCP server on stdin and stdout, until its client has gone. */
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { endWithClient } from "../exit.ts";
import { warn } from "../log.ts";
import type { McpProxy } from "../proxy/proxy.ts";
import { claimStdout } from "../stdout.ts";

/**
 * Resolves once the client is served; the process ends with it (exit.ts).
 * @param close ends what stands behind the proxy
 */
export async function serve(proxy: McpProxy, close: () => Promise<unknown>): Promise<void> {
  const stdout = claimStdout();
  surviveErrors();
  endWithClient(async () => {
    await Promise.all([proxy.close(), close()]);
  });
  await proxy.connect(new StdioServerTransport(process.stdin, stdout));
}

/** What nobody caught must not end the process, nor go unsaid. */
function surviveErrors(): void {
  for (const event of ["uncaughtException", "unhandledRejection"] as const) {
    process.on(event, (error: unknown) => {
      // A pipe that broke is the client's end (exit.ts); to write about it would break again.
      if ((error as NodeJS.ErrnoException | null)?.code === "EPIPE") return;
      warn(
        `Something went wrong, and was caught: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      );
    });
  }
}
