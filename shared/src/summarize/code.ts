import {
  at,
  branch,
  commit,
  type EventTable,
  each,
  firstLine,
  type Reader,
  refSegments,
  repositoryPage,
  shortRef,
} from "./rules.ts";

/** Where code moves: pushes, branches and tags, the merge queue, releases, packages, wiki pages. */

/** Applies a reader to a branch only, or to a tag only: `create` and `delete` carry short names and a `ref_type`. */
const ofType =
  (refType: string, reader: Reader): Reader =>
  (payload) =>
    at(payload, "ref_type") === refType ? reader(payload) : undefined;

const ref: Reader = (payload) => at(payload, "ref");

const packageFields = (member: string) => ({
  title: `${member}.name`,
  url: [`${member}.package_version.html_url`, `${member}.html_url`],
  body: [
    `${member}.package_version.version`,
    `${member}.description`,
    `${member}.package_version.summary`,
    `${member}.package_version.description`,
    `${member}.package_version.body`,
  ],
});

export const code: EventTable = {
  push: {
    // Nothing is at the head of a ref that was deleted: its name says more than an empty title.
    title: [firstLine("head_commit.message"), shortRef("ref")],
    url: "compare",
    branch: branch("ref"),
    sha: commit("after"),
    // A new tag or branch comes with a head, and without commits.
    body: [[each("commits", "message", "\n\n"), "head_commit.message"]],
  },
  create: {
    title: "ref",
    url: [
      ofType("branch", repositoryPage`/tree/${refSegments("ref")}`),
      ofType("tag", repositoryPage`/releases/tag/${refSegments("ref")}`),
    ],
    branch: ofType("branch", ref),
    body: ["description"],
  },
  // What was deleted has no page any more.
  delete: {
    title: "ref",
    branch: ofType("branch", ref),
  },
  merge_group: {
    title: firstLine("merge_group.head_commit.message"),
    url: repositoryPage`/queue/${refSegments("merge_group.base_ref")}`,
    branch: branch("merge_group.head_ref"),
    sha: "merge_group.head_sha",
    body: ["merge_group.head_commit.message"],
  },

  release: {
    title: ["release.name", "release.tag_name"],
    url: "release.html_url",
    body: ["release.tag_name", "release.body"],
  },
  package: packageFields("package"),
  registry_package: packageFields("registry_package"),
  gollum: {
    title: ["pages.0.title", "pages.0.page_name"],
    url: "pages.0.html_url",
    body: [each("pages", "title", "\n"), each("pages", "summary", "\n")],
  },
};
