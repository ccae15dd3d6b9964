/**
 * Splits an identifier into its words, lower-cased: `HTTPServer2` → `http`, `server`, `2`; `read_all` → `read`, `all`.
 * A digit run is a word of its own.
 */
export function splitIdentifier(identifier: string): string[] {
  const words: string[] = [];
  let start = 0;
  const flush = (end: number) => {
    if (end > start) words.push(identifier.slice(start, end).toLowerCase());
    start = end;
  };
  for (let i = 0; i < identifier.length; i++) {
    const kind = classify(identifier, i);
    if (kind === "_") {
      flush(i);
      start = i + 1;
      continue;
    }
    if (i === start) continue;
    const before = classify(identifier, i - 1);
    if (kind === "9" ? before !== "9" : before === "9") flush(i);
    else if (kind === "A" && before === "a") flush(i);
    // The last capital of a run starts the next word: HTTPServer → http, server; but IDs stays one word.
    else if (kind === "a" && before === "A" && i - 1 > start && !isPluralTail(identifier, i)) flush(i - 1);
  }
  flush(identifier.length);
  return words;
}

type CharacterKind = "A" | "a" | "9" | "_";

function classify(text: string, index: number): CharacterKind {
  const code = text.charCodeAt(index);
  if (code >= 97 && code <= 122) return "a";
  if (code >= 65 && code <= 90) return "A";
  if (code >= 48 && code <= 57) return "9";
  if (code === 95 || code === 36 || code === 45) return "_";
  const character = text[index] as string;
  return character !== character.toLowerCase() ? "A" : "a";
}

/** `s` after capitals, at the end or before another capital: `URLs`, `userIDsByName`. */
function isPluralTail(text: string, index: number): boolean {
  if (text[index] !== "s") return false;
  return index + 1 === text.length || classify(text, index + 1) !== "a";
}
