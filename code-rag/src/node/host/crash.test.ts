import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { NodeSqlite } from "../sqlite/node-sqlite.ts";
import { cleanEnvironment, finished, run, start } from "../testing/process.ts";
import { temporaryDirectory, writeTree } from "../testing/temporary.ts";

const FILES = 700;

function tree(): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: FILES }, (_, i) => [
      `pkg${i % 10}/module${i}.py`,
      Array.from(
        { length: 12 },
        (_, j) => `def handler_${i}_${j}(request):\n    """Handles case ${j}."""\n    return request.case(${i * j})\n`,
      ).join("\n"),
    ]),
  );
}

/** Everything in the index but ids and times. */
function content(database: string) {
  const sql = NodeSqlite.open(database);
  try {
    expect(sql.all<{ integrity_check: string }>("PRAGMA integrity_check")).toEqual([{ integrity_check: "ok" }]);
    sql.all("INSERT INTO chunk_fts (chunk_fts) VALUES ('integrity-check')");
    return {
      units: sql.all(
        `SELECT f.path, u.ordinal, u.hash, u.start_line, u.end_line FROM units u JOIN files f ON f.id = u.file_id ORDER BY f.path, u.ordinal`,
      ),
      chunks: sql.all("SELECT hash, count(*) AS n FROM chunks GROUP BY hash ORDER BY hash"),
      terms: sql.all("SELECT term, doc, cnt FROM chunk_terms ORDER BY term"),
      files: sql.all("SELECT path, hash, skipped FROM files ORDER BY path"),
    };
  } finally {
    sql.close();
  }
}

describe("an index run that is killed", () => {
  it("leaves a sound database; the next run finishes it, and it equals a clean one", async () => {
    const directory = temporaryDirectory();
    writeTree(join(directory, "repo"), tree());
    const options = { cwd: directory, env: cleanEnvironment(join(directory, "cache")) };
    await run(["index", "repo", "--db", "clean.db"], options);
    const clean = content(join(directory, "clean.db"));
    const database = join(directory, "killed.db");
    for (let round = 0; round < 20; round++) {
      const child = start(["index", "repo", "--db", "killed.db"], options);
      const ended = finished(child);
      await sleep(300 + Math.random() * 900);
      child.kill("SIGKILL");
      await ended;
      const sql = NodeSqlite.open(database);
      const doubles = sql.all("SELECT name FROM sqlite_master WHERE name = 'files'").length
        ? sql.all("SELECT file_id, ordinal FROM units GROUP BY file_id, ordinal HAVING count(*) > 1")
        : [];
      sql.close();
      expect(doubles).toEqual([]);
    }
    expect((await run(["index", "repo", "--db", "killed.db"], options)).code).toBe(0);
    expect(content(database)).toEqual(clean);
  }, 120_000);
});

describe("two processes on one database", () => {
  it("one indexes, the other waits and says so; both end well, and the work is done once", async () => {
    const directory = temporaryDirectory();
    writeTree(join(directory, "repo"), tree());
    const options = { cwd: directory, env: cleanEnvironment(join(directory, "cache")) };
    const results = await Promise.all([
      run(["index", "repo", "--db", "one.db", "--json"], options),
      run(["index", "repo", "--db", "one.db", "--json"], options),
    ]);
    expect(results.map((result) => result.code)).toEqual([0, 0]);
    expect(results.some((result) => result.stderr.includes("Another process is writing this index"))).toBe(true);
    const added = results.map((result) => JSON.parse(result.stdout).roots[0].added).sort((a, b) => a - b);
    expect(added).toEqual([0, FILES]);
  }, 60_000);
});
