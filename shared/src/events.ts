/**
 * The shapes of an event as agents, the bridge and scripts see it.
 *
 * Field names and their order are a contract with users (the existing service's names); new fields are
 * added behind them and only present where they say something.
 */

/** What the payload says about itself, whatever the event type; `null` where the event has no such thing. */
export interface PayloadSummary {
  action: string | null;
  /** `owner/name` of the repository, as the payload names it. */
  repo: string | null;
  /** Login of who caused the event. */
  sender: string | null;
  number: number | null;
  title: string | null;
  /** Page of the thing itself: a comment's url is the comment's, not its parent's. */
  url: string | null;
  head_branch: string | null;
  head_sha: string | null;
  conclusion: string | null;
  /** How the author of the issue, comment or review stands to the repository (`OWNER`, `MEMBER`, `NONE` …). */
  author_association?: string;
  /** `Bot`, `Organization` …; absent for a plain `User`. `sender.type` is the proof of a bot, a `[bot]` login is not. */
  sender_type?: string;
}

/** One event as a list shows it: the fifteen compatible fields always, the rest where they say something. */
export interface EventSummary {
  id: string;
  type: string;
  /** ISO 8601 with milliseconds, UTC. */
  received_at: string;
  /** Whether this viewer has marked it. */
  processed: boolean;
  trigger_status: string | null;
  last_triggered_at: string | null;
  action: string | null;
  repo: string | null;
  sender: string | null;
  number: number | null;
  title: string | null;
  url: string | null;
  head_branch: string | null;
  head_sha: string | null;
  conclusion: string | null;
  author_association?: string;
  sender_type?: string;
  /** GitHub's `X-GitHub-Delivery`, where it is not the id already. */
  delivery_id?: string;
  /** The position right after this event; goes into `cursor` or `up_to_cursor`. */
  cursor: string;
}

/** One whole event. */
export interface WebhookEvent {
  id: string;
  type: string;
  payload: unknown;
  received_at: string;
  processed: boolean;
  trigger_status: string | null;
  last_triggered_at: string | null;
}

/** The text that full-text search covers, cut to what an index should hold. */
export interface SearchText {
  title: string;
  body: string;
  repository: string;
  sender: string;
  branch: string;
}

/** Which events a read is about. Absent members don't restrict. */
export interface EventFilter {
  /** Event types (`issues`, `workflow_run` …); any of them. */
  types?: readonly string[];
  /** `owner/name`, compared without case; decides by the repository that holds the name now. */
  repo?: string;
  /** Login, compared without case. */
  sender?: string;
  /** Leaves out events whose `sender.type` is `Bot`. */
  exclude_bots?: boolean;
  /** Also events that this viewer has processed. */
  include_processed?: boolean;
}
