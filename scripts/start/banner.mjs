/**
 * What a person reads when the server is ready: where things are, and the two lines that connect an agent and GitHub.
 */

/** Events of a repository that an agent usually wants; the list can be cut or extended on the command line. */
const FORWARDED_EVENTS = [
  "issues",
  "issue_comment",
  "pull_request",
  "pull_request_review",
  "pull_request_review_comment",
  "discussion",
  "discussion_comment",
  "push",
  "release",
  "workflow_run",
];

/**
 * @param {object} server
 * @param {string} server.url origin the Worker listens on
 * @param {string} server.publicUrl origin that clients are told
 * @param {string | null} server.token local access token; null where sign-in goes through GitHub
 * @param {"environment" | ".dev.vars" | null} server.webhookSecret where the webhook secret comes from
 * @param {string} server.stateDir
 * @param {(text: string, style: "bold" | "dim" | "cyan") => string} paint
 */
export function banner({ url, publicUrl, token, webhookSecret, stateDir }, paint) {
  const heading = (text) => paint(text, "bold");
  const command = (text) => `  ${paint(text, "cyan")}`;
  const field = (name, value) => `  ${name.padEnd(14)}${value}`;
  const mcpUrl = `${publicUrl}/mcp`;
  const header = token ? ` --header "Authorization: Bearer ${token}"` : "";
  const secret = {
    environment: ' --secret="$GITHUB_WEBHOOK_SECRET"',
    ".dev.vars": ' --secret="…"',
  };
  const lines = [
    "",
    heading(
      token
        ? "github-webhook-mcp is running in local mode."
        : "github-webhook-mcp is running, with sign-in through GitHub.",
    ),
    "",
    field("Webhook URL", `${url}/webhooks/github`),
    field("MCP URL", mcpUrl),
    ...(token ? [field("Access token", token)] : []),
    field("Events", `kept in ${stateDir}`),
    field(
      "Signatures",
      webhookSecret
        ? `checked (GITHUB_WEBHOOK_SECRET of ${webhookSecret === "environment" ? "the environment" : ".dev.vars"})`
        : "not checked: GITHUB_WEBHOOK_SECRET is not set",
    ),
    "",
    heading("Connect Claude Code:"),
    command(`claude mcp add --transport http github-webhooks ${mcpUrl}${header}`),
    "",
    heading("Send it a repository's events, with GitHub's command line:"),
    command("gh extension install cli/gh-webhook"),
    command(
      `gh webhook forward --repo=OWNER/REPO --events=${FORWARDED_EVENTS.join(",")} --url=${url}/webhooks/github${webhookSecret ? secret[webhookSecret] : ""}`,
    ),
    ...(webhookSecret === ".dev.vars"
      ? [paint("  (put GITHUB_WEBHOOK_SECRET of .dev.vars in place of …)", "dim")]
      : []),
    "",
    paint("npm run demo sends example events. Ctrl-C stops the server.", "dim"),
    "",
  ];
  return lines.join("\n");
}

const CODES = { bold: [1, 22], dim: [2, 22], cyan: [36, 39] };

/** Gives a painter: plain text unless colours are wanted (https://no-color.org). */
export function painter(colour) {
  return (text, style) => {
    if (!colour) return text;
    const [on, off] = CODES[style];
    return `\x1b[${on}m${text}\x1b[${off}m`;
  };
}

/** Whether to colour what goes to a stream. */
export function wantsColour(stream, env) {
  return Boolean(stream.isTTY) && !env.NO_COLOR && env.TERM !== "dumb";
}
