import { at, branch, commit, type EventTable, type Reader, repositoryPage } from "./rules.ts";

/** What threatens code, and what protects it: alerts, advisories, rules for branches, keys. */

/** An advisory's page in the GitHub Advisory Database. */
const advisoryPage =
  (path: string): Reader =>
  (payload) => {
    const id = at(payload, path);
    return typeof id === "string" && /^GHSA(-[0-9a-z]{4}){3}$/.test(id)
      ? `https://github.com/advisories/${id}`
      : undefined;
  };

export const security: EventTable = {
  code_scanning_alert: {
    number: "alert.number",
    title: ["alert.rule.description", "alert.rule.name", "alert.rule.id"],
    url: "alert.html_url",
    branch: branch("ref"),
    sha: commit("commit_oid"),
    body: [
      "alert.most_recent_instance.message.text",
      "alert.rule.full_description",
      "alert.rule.id",
      "alert.tool.name",
    ],
  },
  dependabot_alert: {
    number: "alert.number",
    title: ["alert.security_advisory.summary", "alert.dependency.package.name"],
    url: "alert.html_url",
    body: [
      "alert.dependency.package.name",
      "alert.security_advisory.ghsa_id",
      "alert.security_advisory.cve_id",
      "alert.security_advisory.description",
    ],
  },
  secret_scanning_alert: {
    number: "alert.number",
    title: ["alert.secret_type_display_name", "alert.secret_type"],
    url: "alert.html_url",
    body: ["alert.resolution_comment", "alert.secret_type"],
  },
  // The place of the secret is given by REST addresses only.
  secret_scanning_alert_location: {
    number: "alert.number",
    title: ["alert.secret_type_display_name", "alert.secret_type"],
    url: "alert.html_url",
    sha: "location.details.commit_sha",
    body: ["location.details.path", "alert.secret_type"],
  },
  secret_scanning_scan: {
    title: ["custom_pattern_name", "type"],
  },
  repository_vulnerability_alert: {
    number: "alert.number",
    title: "alert.affected_package_name",
    url: ["alert.html_url", advisoryPage("alert.ghsa_id"), "alert.external_reference"],
    body: ["alert.external_identifier", "alert.ghsa_id", "alert.dismiss_reason", "alert.dismiss_comment"],
  },
  security_advisory: {
    title: ["security_advisory.summary", "security_advisory.ghsa_id"],
    url: ["security_advisory.html_url", advisoryPage("security_advisory.ghsa_id")],
    body: ["security_advisory.ghsa_id", "security_advisory.cve_id", "security_advisory.description"],
  },
  repository_advisory: {
    title: ["repository_advisory.summary", "repository_advisory.ghsa_id"],
    url: "repository_advisory.html_url",
    body: ["repository_advisory.ghsa_id", "repository_advisory.cve_id", "repository_advisory.description"],
  },
  security_and_analysis: {
    url: repositoryPage`/settings/security_analysis`,
  },

  branch_protection_rule: {
    title: "rule.name",
    url: repositoryPage`/settings/branches`,
  },
  branch_protection_configuration: {
    url: repositoryPage`/settings/branches`,
  },
  repository_ruleset: {
    title: "repository_ruleset.name",
    url: "repository_ruleset._links.html.href",
  },
  deploy_key: {
    title: "key.title",
    url: repositoryPage`/settings/keys`,
  },
};
