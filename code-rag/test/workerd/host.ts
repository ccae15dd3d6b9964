import { DurableObject } from "cloudflare:workers";

/** A Durable Object with a SQLite database, for the tests to work in. */
export class IndexHost extends DurableObject {}

export default { fetch: () => new Response(null, { status: 404 }) };
