/**
 * Line numbers by offset. A line ends at `\n`, `\r\n` or a bare `\r` (tree-sitter's own rows ignore the last), so a
 * file has the same lines whatever its line ends are.
 */
export class LineIndex {
  readonly #starts: number[] = [0];

  constructor(text: string) {
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === 10 || (code === 13 && text.charCodeAt(at + 1) !== 10)) this.#starts.push(at + 1);
    }
  }

  /** 1-based line that holds the character at `offset`. */
  lineAt(offset: number): number {
    let low = 0;
    let high = this.#starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.#starts[middle]! <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  }
}

/** Bare `\r` become `\n`, for lexers and grammars that know only the latter; offsets stay. */
export function withLineFeeds(text: string): string {
  return text.includes("\r") ? text.replace(/\r(?!\n)/g, "\n") : text;
}
