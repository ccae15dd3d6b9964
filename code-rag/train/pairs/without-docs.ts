/** Characters that hold a comment together: taken off both ends of a line before it is compared. */
const SIGNS = /^[\s/*#!<>;"'`-]+|[\s/*#!<>;"'`-]+$/g;
const XML_TAG = /<\/?[a-z]\w*\b[^>]*>/gi;

/**
 * A unit's text without the lines of its documentation, for any language: a question that was taken from a comment must
 * be answered by the code.
 */
export function withoutDocs(text: string, doc: string): string {
  if (doc === "") return text;
  const documented = new Set(doc.split("\n").map(bare));
  return text
    .split("\n")
    .filter((line) => {
      const words = bare(line);
      return words === "" || !documented.has(words);
    })
    .join("\n");
}

function bare(line: string): string {
  return line.replace(XML_TAG, "").replace(SIGNS, "");
}
