/**
 * A heredoc inside the interpolation of another leaves the grammar with no tree at all. Blanked bodies keep the lines,
 * and code inside them is text anyway.
 */

import { blank } from "./blank.ts";

const OPENER = /<<[~-]?(["'`]?)([A-Z_a-z]\w*)\1/g;

export function withoutHeredocs(text: string): string {
  let masked = "";
  let at = 0;
  OPENER.lastIndex = 0;
  for (let opener = OPENER.exec(text); opener; opener = OPENER.exec(text)) {
    const body = text.indexOf("\n", opener.index) + 1;
    const end = terminator(text, body, opener[2]!);
    if (body === 0 || end === undefined) continue;
    // The opener becomes an empty string of its length, for it stands where a value must.
    masked += `${text.slice(at, opener.index)}"${" ".repeat(opener[0].length - 2)}"`;
    masked += text.slice(opener.index + opener[0].length, body) + blank(text.slice(body, end));
    at = end;
    OPENER.lastIndex = end;
  }
  return masked + text.slice(at);
}

/** End of the line that closes the heredoc. */
function terminator(text: string, from: number, label: string): number | undefined {
  const line = new RegExp(`^[ \\t]*${label}(?=\\r?$)`, "gm");
  line.lastIndex = from;
  const match = line.exec(text);
  return match ? match.index + match[0].length : undefined;
}
