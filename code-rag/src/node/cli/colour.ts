/** Whether to colour what goes to a stream: a terminal, and no `NO_COLOR` (no-color.org). */
export function coloursFor(stream: { isTTY?: boolean }, env: NodeJS.ProcessEnv): Colours {
  const on = stream.isTTY === true && !env.NO_COLOR && env.TERM !== "dumb";
  const paint = (code: number) => (text: string) => (on ? `\x1b[${code}m${text}\x1b[0m` : text);
  return { path: paint(36), name: paint(1), faint: paint(2) };
}

export interface Colours {
  path(text: string): string;
  name(text: string): string;
  faint(text: string): string;
}

/** Repository text on a terminal: control characters, which could move the cursor or ring bells, become visible. */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is replaced here
  return text.replace(/[\0-\x08\x0b-\x1f\x7f-\x9f]/g, (character) => (character === "\r" ? "" : "\ufffd"));
}
