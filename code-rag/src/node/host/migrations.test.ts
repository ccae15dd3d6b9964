import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, it, onTestFinished } from "vitest";
import { MIGRATIONS } from "../../engine/store/migrations.ts";
import { NodeSqlite } from "../sqlite/node-sqlite.ts";
import { cleanEnvironment, commandLine, run } from "../testing/process.ts";
import { temporaryDirectory, writeTree } from "../testing/temporary.ts";

const TREE = {
  "src/queue.py": 'def enqueue(job):\n    """Waits for its turn."""\n    return notify(job)\n',
  "src/notify.py": "def notify(job):\n    return [job]\n",
  "README.md": "# Jobs\n\nHow jobs are queued.\n",
};
const SUMMARY = "Puts a job into the line.";

/** A tree, an index of it as it is made today, and the same index as the first release would have left it. */
async function oldAndNew() {
  const directory = temporaryDirectory();
  const tree = writeTree(join(directory, "app"), TREE);
  const options = { cwd: directory, env: cleanEnvironment(join(directory, "cache")) };
  expect((await run(["index", tree, "--db", "new.db"], options)).code).toBe(0);
  const sql = NodeSqlite.open(join(directory, "old.db"));
  for (const statement of (MIGRATIONS[0] as (typeof MIGRATIONS)[0]).statements) sql.all(statement);
  sql.all("CREATE TABLE migrations (id INTEGER PRIMARY KEY)");
  sql.all("INSERT INTO migrations (id) VALUES (1)");
  sql.all("ATTACH ? AS new", join(directory, "new.db"));
  for (const table of ["meta", "roots", "files", "units", "chunks", "vectors"])
    sql.all(`INSERT INTO main.${table} SELECT * FROM new.${table}`);
  sql.all(
    "INSERT INTO chunk_fts (rowid, names, body) SELECT c.id, u.symbol, c.text FROM chunks c JOIN units u ON u.id = unit_id",
  );
  sql.all("INSERT INTO file_fts (rowid, path) SELECT id, path FROM files");
  sql.all("INSERT INTO name_trigrams (rowid, name) SELECT id, symbol FROM units");
  sql.all("INSERT INTO name_uses SELECT id, 'call', 'notify', 2 FROM units WHERE name = 'enqueue'");
  sql.all("INSERT INTO summaries SELECT hash, 'some:model', 1, ? FROM units WHERE name = 'enqueue'", SUMMARY);
  sql.close();
  return { directory, options, old: join(directory, "old.db"), new: join(directory, "new.db") };
}

function content(database: string) {
  const sql = NodeSqlite.open(database);
  try {
    return {
      units: sql.all(
        "SELECT path, u.ordinal, u.hash, start_line FROM units u JOIN files f ON f.id = file_id ORDER BY 1, 2",
      ),
      chunks: sql.all("SELECT hash, text FROM chunks ORDER BY hash"),
      uses: sql.all("SELECT hash, uses FROM unit_uses JOIN units ON id = unit_id ORDER BY hash"),
      vectors: sql.all("SELECT hash, hex(vector) FROM vectors ORDER BY hash"),
    };
  } finally {
    sql.close();
  }
}

describe("an index of the first release", () => {
  it("says that it is not complete, not that there are no results", async () => {
    const { options, old } = await oldAndNew();
    const found = await run(["search", "enqueue", "--db", old], options);
    expect(found).toEqual({
      code: 0,
      stdout: "",
      stderr: `Not indexed to the end yet: app. Go on with: code-rag index --db ${old}\nNo results so far.\n`,
    });
  });

  it("is filled again, with the vectors and summaries that it had", async () => {
    const { options, old, new: clean } = await oldAndNew();
    expect((await run(["index", "--db", old], options)).code).toBe(0);
    expect(content(old)).toEqual(content(clean));
    const sql = NodeSqlite.open(old);
    const before = NodeSqlite.open(clean);
    const vectors = "SELECT id, hash FROM vectors ORDER BY id";
    expect(sql.all(vectors)).toEqual(before.all(vectors));
    expect(sql.all("SELECT text FROM summaries")).toEqual([{ text: SUMMARY }]);
    for (const one of [sql, before]) one.close();
    const found = await run(["search", "line", "--db", old, "--json"], options);
    expect(JSON.parse(found.stdout)[0], "by its summary").toMatchObject({ symbol: "enqueue" });
    expect(found.stderr).toBe("");
  });

  it("is filled again by the server that opens it", async () => {
    const { options, old } = await oldAndNew();
    const client = new Client({ name: "test", version: "1.0.0" });
    const args = commandLine("serve", "--db", old);
    await client.connect(new StdioClientTransport({ command: process.execPath, args, ...options, stderr: "ignore" }));
    onTestFinished(() => client.close());
    for (;;) {
      const { structuredContent } = await client.callTool({ name: "search", arguments: { query: "enqueue" } });
      const { indexing, results } = structuredContent as { indexing?: string; results: object[] };
      if (indexing === undefined) {
        expect(results[0]).toMatchObject({ path: "src/queue.py", symbol: "enqueue" });
        break;
      }
      expect(indexing).toMatch(/^(?:indexing: \d+ %|not indexed to the end yet: app)$/);
    }
  });
});
