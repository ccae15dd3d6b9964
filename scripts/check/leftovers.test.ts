import { expect, test } from "vitest";
import { leftoversIn } from "./leftovers.mjs";

/** The signs are put together here, so that this file does not carry them itself. */
const path = (...parts: string[]) => `/${parts.join("/")}`;

test.each([
  `see ${path("home", "someone", "project")}`,
  `"${path("Users", "someone", "x.ts")}"`,
  `cd ${path("root", ".config")}`,
  ["C:", "Users", "someone"].join("\\"),
])("finds an absolute path of somebody's machine: %s", (text) => {
  expect(leftoversIn("docs/a.md", `first\n${text}\n`)).toEqual([expect.stringMatching(/^docs\/a\.md:2 holds a path/)]);
});

test.each(["https://example.com/home/page", "./work/x", "~/root/x", "the work / home balance", "src/work/a.ts"])(
  "leaves other text alone: %s",
  (text) => {
    expect(leftoversIn("docs/a.md", text)).toEqual([]);
  },
);

test("finds a registry address in the lockfile and in .npmrc, and only there", () => {
  expect(leftoversIn("pnpm-lock.yaml", "tarball: https://registry.example/x.tgz")).toHaveLength(1);
  expect(leftoversIn(".npmrc", "registry=https://registry.example")).toHaveLength(1);
  expect(leftoversIn("README.md", "https://registry.example and registry=x")).toEqual([]);
});
