import { at, branch, commit, type EventTable, firstLine, pullRequestIn, type Reader, repositoryPage } from "./rules.ts";

/** What machines do with a commit: checks, statuses, workflows, deployments, Pages builds. */

/**
 * The branch of a commit status. GitHub lists up to ten branches that *contain* the commit: the one whose head the
 * commit is, else the first. https://docs.github.com/en/webhooks/webhook-events-and-payloads#status.
 */
const statusBranch: Reader = (payload) => {
  const branches = at(payload, "branches");
  if (!Array.isArray(branches)) return undefined;
  const sha = at(payload, "sha");
  return at(branches.find((candidate) => at(candidate, "commit.sha") === sha) ?? branches[0], "name");
};

/** The run that waits for a deployment protection rule: only the callback's REST address names it. */
const waitingRun: Reader = (payload) => {
  const callback = at(payload, "deployment_callback_url");
  return typeof callback === "string" ? /\/actions\/runs\/(\d+)\//.exec(callback)?.[1] : undefined;
};

/** A workflow's page goes by its file's name, without the folder. */
const workflowFile: Reader = (payload) => {
  const path = at(payload, "workflow");
  return typeof path === "string"
    ? encodeURIComponent(path.slice(path.lastIndexOf("/") + 1).toWellFormed())
    : undefined;
};

const deploymentsPage = repositoryPage`/deployments/${"deployment.environment"}`;

export const automation: EventTable = {
  check_run: {
    number: pullRequestIn("check_run.pull_requests"),
    title: "check_run.name",
    url: ["check_run.html_url", "check_run.details_url"],
    branch: "check_run.check_suite.head_branch",
    sha: "check_run.head_sha",
    conclusion: "check_run.conclusion",
    body: ["check_run.output.title", "check_run.output.summary", "check_run.output.text"],
  },
  check_suite: {
    number: pullRequestIn("check_suite.pull_requests"),
    title: ["check_suite.app.name", firstLine("check_suite.head_commit.message")],
    url: repositoryPage`/commit/${"check_suite.head_sha"}/checks?check_suite_id=${"check_suite.id"}`,
    branch: "check_suite.head_branch",
    sha: "check_suite.head_sha",
    conclusion: "check_suite.conclusion",
    body: ["check_suite.head_commit.message"],
  },
  status: {
    title: "context",
    url: ["target_url", "commit.html_url"],
    branch: statusBranch,
    sha: "sha",
    conclusion: "state",
    body: ["description", "commit.commit.message"],
  },

  workflow_run: {
    number: pullRequestIn("workflow_run.pull_requests"),
    title: ["workflow_run.name", "workflow.name", "workflow_run.display_title"],
    url: "workflow_run.html_url",
    branch: "workflow_run.head_branch",
    sha: "workflow_run.head_sha",
    conclusion: "workflow_run.conclusion",
    body: ["workflow_run.display_title", "workflow_run.head_commit.message", "workflow.path"],
  },
  workflow_job: {
    title: "workflow_job.name",
    url: "workflow_job.html_url",
    branch: "workflow_job.head_branch",
    sha: "workflow_job.head_sha",
    conclusion: "workflow_job.conclusion",
    body: ["workflow_job.workflow_name"],
  },
  workflow_dispatch: {
    title: "workflow",
    url: repositoryPage`/actions/workflows/${workflowFile}`,
    branch: branch("ref"),
  },
  repository_dispatch: {
    branch: "branch",
  },

  deployment: {
    number: pullRequestIn("workflow_run.pull_requests"),
    title: "deployment.environment",
    url: ["workflow_run.html_url", deploymentsPage],
    branch: branch("deployment.ref"),
    sha: "deployment.sha",
    body: ["deployment.description", "deployment.task"],
  },
  deployment_status: {
    number: pullRequestIn("workflow_run.pull_requests"),
    title: ["deployment_status.environment", "deployment.environment"],
    url: ["deployment_status.log_url", "deployment_status.target_url", "workflow_run.html_url", deploymentsPage],
    branch: branch("deployment.ref"),
    sha: "deployment.sha",
    conclusion: "deployment_status.state",
    body: ["deployment_status.description", "deployment.description"],
  },
  deployment_review: {
    number: pullRequestIn("workflow_run.pull_requests"),
    title: ["environment", "workflow_job_run.environment", "workflow_job_runs.0.environment", "workflow_run.name"],
    url: "workflow_run.html_url",
    branch: "workflow_run.head_branch",
    sha: "workflow_run.head_sha",
    conclusion: "workflow_run.conclusion",
    body: ["comment", "workflow_run.display_title", "workflow_run.head_commit.message"],
  },
  deployment_protection_rule: {
    number: pullRequestIn("pull_requests"),
    title: ["environment", "deployment.environment"],
    url: [repositoryPage`/actions/runs/${waitingRun}`, deploymentsPage],
    branch: branch("deployment.ref"),
    sha: "deployment.sha",
    body: ["deployment.description"],
  },

  page_build: {
    title: "build.error.message",
    url: repositoryPage`/commit/${"build.commit"}`,
    sha: commit("build.commit"),
    conclusion: "build.status",
  },
};
