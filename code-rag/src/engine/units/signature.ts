/** The one-line signature of a declaration. */

const LONGEST = 300;

/** @param head the declaration's text from its first own word up to its body. */
export function signatureOf(head: string): string {
  const line = head.replace(/\s+/g, " ").trim();
  const bare = line
    .replace(/;?\s+end$/, "")
    .replace(/(?:\s*(?:\{|=>|[:=;,]))+$/, "")
    .trim();
  const kept = bare === "" ? line : bare;
  return kept.length > LONGEST ? `${kept.slice(0, LONGEST - 1).trimEnd()}…` : kept;
}
