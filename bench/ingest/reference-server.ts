/**
 * What the Worker is measured against: the least that receives webhooks durably. Plain `node:http` in one process,
 * `@octokit/webhooks` for the signature, one JSON.parse, one INSERT through `node:sqlite` (WAL, synchronous FULL) before
 * the answer. No deduplication, summary, search, counters or compression, and no index.
 *
 *     node reference-server.ts (one | each) DIRECTORY
 *
 * `each` keeps one file for each account, as the Worker does; `one` keeps one for all. Prints its port.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { Webhooks } from "@octokit/webhooks";

const [layout, directory] = process.argv.slice(2) as [string, string];
const webhooks = new Webhooks({ secret: process.env.GITHUB_WEBHOOK_SECRET as string });
const inserts = new Map<number, StatementSync>();

function insertFor(account: number): StatementSync {
  let insert = inserts.get(account);
  if (insert === undefined) {
    const db = new DatabaseSync(join(directory, `store-${account}.sqlite`));
    db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;");
    db.exec(
      "CREATE TABLE event (seq INTEGER PRIMARY KEY, delivery TEXT NOT NULL, type TEXT NOT NULL, received INTEGER NOT NULL, payload TEXT NOT NULL) STRICT",
    );
    insert = db.prepare("INSERT INTO event (delivery, type, received, payload) VALUES (?, ?, ?, ?)");
    inserts.set(account, insert);
  }
  return insert;
}

async function body(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const text = await body(request);
  const header = (name: string) => String(request.headers[name] ?? "");
  if (!(await webhooks.verify(text, header("x-hub-signature-256")))) {
    response.writeHead(403).end("Invalid signature");
    return;
  }
  const payload: { repository: { owner: { id: number } } } = JSON.parse(text);
  const delivery = header("x-github-delivery");
  insertFor(layout === "each" ? payload.repository.owner.id : 0).run(
    delivery,
    header("x-github-event"),
    Date.now(),
    text,
  );
  response.writeHead(202, { "Content-Type": "application/json" }).end(JSON.stringify({ accepted: true, id: delivery }));
}

const server = createServer((request, response) => {
  receive(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
});
server.listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port));
process.on("SIGTERM", () => process.exit(0));
