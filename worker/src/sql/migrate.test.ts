import { reset, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, test } from "vitest";
import { type Migration, migrate } from "./migrate.ts";

const first: Migration = {
  id: 1,
  name: "first",
  statements: "CREATE TABLE sheep (n INTEGER); INSERT INTO sheep VALUES (1);",
};
const second: Migration = { id: 2, name: "second", statements: "INSERT INTO sheep VALUES (2);" };

afterEach(() => reset());

function inStorage(check: (storage: DurableObjectStorage) => void): Promise<void> {
  const stub = env.TENANT_REGISTRY.getByName("migrate-test");
  return runInDurableObject(stub, (_, state) => {
    // The object's own schema is out of the way: these lists are tried on an empty database.
    state.storage.sql.exec("DROP TABLE IF EXISTS migration");
    check(state.storage);
  });
}

const sheep = (storage: DurableObjectStorage) =>
  storage.sql
    .exec<{ n: number }>("SELECT n FROM sheep ORDER BY n")
    .toArray()
    .map((row) => row.n);

test("each migration runs once, in order, and a later list goes on where the earlier one ended", () =>
  inStorage((storage) => {
    migrate(storage, [first]);
    migrate(storage, [first]);
    expect(sheep(storage)).toEqual([1]);
    migrate(storage, [first, second]);
    migrate(storage, [first, second]);
    expect(sheep(storage)).toEqual([1, 2]);
  }));

test("a migration that fails leaves the schema as it was, and runs again after it was repaired", () =>
  inStorage((storage) => {
    const broken: Migration = { id: 2, name: "second", statements: "INSERT INTO sheep VALUES (2); SELECT nothing;" };
    expect(() => migrate(storage, [first, broken])).toThrow();
    expect(storage.sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'sheep'").toArray()).toEqual([]);
    migrate(storage, [first, second]);
    expect(sheep(storage)).toEqual([1, 2]);
  }));

test("ids that are not 1, 2, 3 … are refused before anything runs", () =>
  inStorage((storage) => {
    expect(() => migrate(storage, [second])).toThrow('"second" must have id 1');
    expect(() => migrate(storage, [first, { ...second, id: 3 }])).toThrow('"second" must have id 2');
    expect(() => migrate(storage, [first, { ...second, id: 1 }])).toThrow();
    expect(storage.sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'sheep'").toArray()).toEqual([]);
  }));

test("older code refuses a database that a newer version has migrated, and a list that was edited", () =>
  inStorage((storage) => {
    migrate(storage, [first, second]);
    expect(() => migrate(storage, [first])).toThrow('migration 2 "second"');
    expect(() => migrate(storage, [first, { ...second, name: "other" }])).toThrow('migration 2 "second"');
  }));
