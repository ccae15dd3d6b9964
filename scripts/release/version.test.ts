import { describe, expect, test } from "vitest";
import { distTag, versionOfTag } from "./version.mjs";

describe("a release's tag", () => {
  test.each([
    ["v0.12.0", "0.12.0"],
    ["0.12.0", "0.12.0"],
    ["v1.0.0-rc.1", "1.0.0-rc.1"],
    ["v1.0.0-next-2", "1.0.0-next-2"],
    ["v10.20.30-0a", "10.20.30-0a"],
  ])("%s is the version %s", (tag, version) => {
    expect(versionOfTag(tag)).toBe(version);
  });

  test.each([
    "",
    "v",
    "latest",
    "v1",
    "v1.2",
    "v1.2.3.4",
    "v01.2.3",
    "v1.2.3-",
    "v1.2.3-01",
    "v1.2.3+build",
    "vv1.2.3",
    "v1.2.3\n",
    " v1.2.3",
    "v1.2.3; rm -rf /",
  ])("%j is refused", (tag) => {
    expect(() => versionOfTag(tag)).toThrow("is no release tag: it has to be a version such as v1.2.3");
  });
});

test.each([
  ["0.12.0", "latest"],
  ["1.0.0-rc.1", "next"],
  ["1.0.0-0", "next"],
])("npm gives %s to those who ask for %s", (version, tag) => {
  expect(distTag(version)).toBe(tag);
});
