/** Opens a page in the user's browser. */
import { spawn } from "node:child_process";
import { warn } from "../log.ts";

export interface BrowserCommand {
  command: string;
  args: string[];
  /** Windows: the arguments are quoted already. */
  verbatim: boolean;
}

/**
 * The command that opens a URL on a platform. `cmd` cuts an unquoted URL at `&`; the empty title before it is there
 * because `start` takes its first quoted argument for one.
 */
export function browserCommand(platform: NodeJS.Platform, url: string): BrowserCommand {
  switch (platform) {
    case "win32":
      return { command: "cmd", args: ["/c", "start", '""', `"${url}"`], verbatim: true };
    case "darwin":
      return { command: "open", args: [url], verbatim: false };
    default:
      return { command: "xdg-open", args: [url], verbatim: false };
  }
}

/** Opens a URL; that it can't be opened is a warning, since the URL is shown as well. Never throws. */
export function openBrowser(url: string): void {
  const { command, args, verbatim } = browserCommand(process.platform, url);
  const failed = (reason: string) =>
    warn(`The browser could not be opened (${reason}). Open the sign-in page yourself: ${url}`);
  try {
    const child = spawn(command, args, { stdio: "ignore", detached: true, windowsVerbatimArguments: verbatim });
    child.on("error", (error) => failed(error.message));
    child.on("exit", (code) => {
      if (code !== null && code !== 0) failed(`${command} ended with ${code}`);
    });
    child.unref();
  } catch (error) {
    failed((error as Error).message);
  }
}
