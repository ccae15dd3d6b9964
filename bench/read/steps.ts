/** What bench:read asks of its Worker, one request each. */

export type Step =
  | { do: "fill"; events: number; repositories: number; summary: string }
  /** Marks everything up to this event. */
  | { do: "mark"; seq: number }
  /** Ends the object; the next step meets one that remembers nothing. */
  | { do: "evict" }
  /** Reads so many times over, and says what the last one cost. */
  | { do: "status" | "list"; times: number };

export interface Cost {
  rowsRead: number;
  /** Pending events, or events listed. */
  events: number;
}
