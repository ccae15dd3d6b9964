/** The REST routes as a script calls them. */
import { type Fetch, fetchSignedIn } from "./worker.ts";

export type Query = Record<string, string | number | boolean | undefined>;

/** A GET; `query` members that are undefined are left out. */
export function get(path: string, query: Query = {}, fetch: Fetch = fetchSignedIn): Promise<Response> {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
  const text = search.toString();
  return fetch(text === "" ? path : `${path}?${text}`);
}

/** A GET that must succeed, as JSON. */
export async function getJson<T>(path: string, query?: Query, fetch?: Fetch): Promise<T> {
  return successful<T>(await get(path, query, fetch));
}

/** `POST /api/mark-processed`. */
export function postMark(body: unknown, fetch: Fetch = fetchSignedIn): Promise<Response> {
  return fetch("/api/mark-processed", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}

export async function successful<T>(response: Response): Promise<T> {
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${response.status}: ${text.slice(0, 500)}`);
  return JSON.parse(text) as T;
}
