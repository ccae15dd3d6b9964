/** The REST routes as a script would use them. */
import type { EventSummary, WebhookEvent } from "@github-webhook-mcp/shared/events.ts";

export interface Status {
  pending_count: number;
  latest_received_at: string | null;
  types: Record<string, number>;
}

export class Rest {
  readonly #url: string;
  readonly #token: string;

  constructor({ url, token }: { url: string; token: string }) {
    this.#url = url;
    this.#token = token;
  }

  status(): Promise<Status> {
    return this.#json("/api/pending-status");
  }

  event(id: string): Promise<WebhookEvent> {
    return this.#json(`/api/event?id=${id}`);
  }

  mark(body: object): Promise<Record<string, unknown>> {
    return this.#json("/api/mark-processed", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
  }

  /** All pages of a list, the oldest event first. */
  async listAll(parameters: Record<string, string> = {}): Promise<EventSummary[]> {
    const events: EventSummary[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const query = new URLSearchParams({ order: "oldest", limit: "100", ...parameters, ...(cursor && { cursor }) });
      const answer = await this.#fetch(`/api/pending-events?${query}`);
      events.push(...((await answer.json()) as EventSummary[]));
      const next: string | null = answer.headers.get("X-Next-Cursor");
      cursor = next === cursor ? null : next;
    }
    return events;
  }

  async #json<T>(path: string, init?: RequestInit): Promise<T> {
    return (await this.#fetch(path, init)).json() as Promise<T>;
  }

  async #fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { ...init.headers, Authorization: `Bearer ${this.#token}` };
    const answer = await fetch(this.#url + path, { ...init, headers });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  }
}
