/** What a stream replays at its beginning: some of it is shown one by one, the rest is counted. Pure. */

/** So many missed events are notified each; those beyond are one line together. */
export const SHOWN_SINGLY = 20;

export type Verdict = "notify" | "count";

export interface Counted {
  count: number;
  cursor: string;
}

export class Backlog {
  #clock: number | null = null;
  #seen = 0;
  #counted: Counted | null = null;

  /** The Worker's clock when the stream began. Until it is known nothing can be judged. */
  set clock(now: number) {
    this.#clock ??= now;
  }

  get known(): boolean {
    return this.#clock !== null;
  }

  /** Whether an event was received before the stream began, and so belongs to what was missed. */
  isMissed(receivedAt: string): boolean {
    return this.#clock !== null && Date.parse(receivedAt) <= this.#clock;
  }

  /** Takes a missed event that the filter wants. `cursor` is the place right behind it. */
  take(cursor: string): Verdict {
    this.#seen++;
    if (this.#seen <= SHOWN_SINGLY) return "notify";
    this.#counted = { count: (this.#counted?.count ?? 0) + 1, cursor };
    return "count";
  }

  /** What was counted and is not told yet, with the place behind the last of it. */
  get counted(): Counted | null {
    return this.#counted;
  }

  told(): void {
    this.#counted = null;
  }
}
