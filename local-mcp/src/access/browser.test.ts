import { expect, it } from "vitest";
import { browserCommand } from "./browser.ts";

const URL = "https://w.example/oauth/authorize?client_id=c&state=a%2Bb&code_challenge_method=S256";

it.each([
  // `start` takes its first quoted argument for a title, and cmd ends a command at an unquoted `&`.
  ["win32", "cmd", ["/c", "start", '""', `"${URL}"`], true],
  ["darwin", "open", [URL], false],
  ["linux", "xdg-open", [URL], false],
  ["freebsd", "xdg-open", [URL], false],
] as const)("opens a whole URL on %s, not up to its first &", (platform, command, args, verbatim) => {
  expect(browserCommand(platform, URL)).toEqual({ command, args, verbatim });
});
