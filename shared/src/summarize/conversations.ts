import { at, type EventFields, type EventTable, each, type Reader } from "./rules.ts";

/** Where people talk: issues, pull requests, reviews, discussions, and the boards that they are planned on. */

/** In both directions of a link the event is about the issue in *this* repository; the other end may be elsewhere. */
const ownIssue =
  (otherEnd: string, own: string, other: string) =>
  (field: string): Reader =>
  (payload) => {
    const action = at(payload, "action");
    return at(payload, `${typeof action === "string" && action.startsWith(otherEnd) ? other : own}.${field}`);
  };

const linkedIssue = (issue: (field: string) => Reader): EventFields => ({
  number: issue("number"),
  title: issue("title"),
  url: issue("html_url"),
  association: issue("author_association"),
  body: [issue("body")],
});

const pullRequestContext: EventFields = {
  number: ["pull_request.number", "number"],
  title: "pull_request.title",
  branch: "pull_request.head.ref",
  sha: "pull_request.head.sha",
};

export const conversations: EventTable = {
  issues: {
    number: "issue.number",
    title: "issue.title",
    url: "issue.html_url",
    association: "issue.author_association",
    body: ["issue.body"],
  },
  issue_comment: {
    number: "issue.number",
    title: "issue.title",
    url: "comment.html_url",
    association: "comment.author_association",
    body: ["comment.body"],
  },
  // `sub_issue_added` is told to the parent's repository, `parent_issue_added` to the sub-issue's.
  sub_issues: linkedIssue(ownIssue("parent_issue_", "parent_issue", "sub_issue")),
  // `blocked_by_added` is told to the blocked issue's repository, `blocking_added` to the blocking one's.
  issue_dependencies: linkedIssue(ownIssue("blocking_", "blocked_issue", "blocking_issue")),

  pull_request: {
    ...pullRequestContext,
    url: "pull_request.html_url",
    association: "pull_request.author_association",
    body: ["pull_request.body"],
  },
  pull_request_review: {
    ...pullRequestContext,
    url: "review.html_url",
    association: "review.author_association",
    body: ["review.body"],
  },
  pull_request_review_comment: {
    ...pullRequestContext,
    url: "comment.html_url",
    association: "comment.author_association",
    body: ["comment.body", "comment.path"],
  },
  pull_request_review_thread: {
    ...pullRequestContext,
    url: ["thread.comments.0.html_url", "pull_request.html_url"],
    association: "thread.comments.0.author_association",
    body: [each("thread.comments", "body", "\n\n"), "thread.comments.0.path"],
  },

  discussion: {
    number: "discussion.number",
    title: "discussion.title",
    url: "discussion.html_url",
    association: "discussion.author_association",
    body: ["discussion.body", "answer.body"],
  },
  discussion_comment: {
    number: "discussion.number",
    title: "discussion.title",
    url: "comment.html_url",
    association: "comment.author_association",
    body: ["comment.body"],
  },
  commit_comment: {
    url: "comment.html_url",
    sha: "comment.commit_id",
    association: "comment.author_association",
    body: ["comment.body", "comment.path"],
  },
};
