/** Lines for people on stderr: stdout belongs to JSON-RPC. Nothing that is written here may hold a token. */

/** Says something that a user can act on. Never throws: a terminal that has gone is no reason to stop. */
export function warn(sentence: string): void {
  try {
    process.stderr.write(`github-webhook-mcp: ${sentence}\n`);
  } catch {
    // Nobody reads any more.
  }
}

/** Says each sentence once in the life of the process. */
export function warnOnce(sentence: string): void {
  if (said.has(sentence)) return;
  said.add(sentence);
  warn(sentence);
}

const said = new Set<string>();
