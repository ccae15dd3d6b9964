/** What the table learns from: two texts about one thing. */
export interface Pair {
  /** `doc`: a sentence of documentation; `name`: a function's name; `prose`: text around a code example. */
  readonly kind: "doc" | "name" | "prose";
  readonly query: string;
  readonly code: string;
}
