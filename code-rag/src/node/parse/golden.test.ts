import { globSync, readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { extractUnits } from "../../engine/units/extract.ts";
import { outlineText } from "../../engine/units/outline-text.ts";
import type { ParsePort } from "../../engine/units/parse-port.ts";
import { violations } from "../../engine/units/tiling.ts";
import { createNodePort } from "./node-port.ts";

const FIXTURES = new URL("../../../fixtures/", import.meta.url);
const files = globSync("*/*", { cwd: FIXTURES.pathname }).filter((path) => !path.endsWith(".units"));

describe("units of the fixtures", () => {
  let parse: ParsePort;
  beforeAll(async () => {
    parse = await createNodePort();
  });

  test.each(files.sort())("%s has the units of its golden list", async (path) => {
    const text = readFileSync(new URL(path, FIXTURES), "utf8");
    const found = extractUnits({ path, text }, parse);
    expect(violations(text, found.units)).toEqual([]);
    await expect(outlineText(found)).toMatchFileSnapshot(new URL(`${path}.units`, FIXTURES).pathname);
  });
});
