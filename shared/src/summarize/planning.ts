import { type EventTable, firstLine, repositoryPage, sitePage } from "./rules.ts";

/** What work is sorted by: labels, milestones, project boards old and new. */
export const planning: EventTable = {
  label: {
    title: "label.name",
    url: repositoryPage`/labels/${"label.name"}`,
    body: ["label.description"],
  },
  milestone: {
    number: "milestone.number",
    title: "milestone.title",
    url: "milestone.html_url",
    body: ["milestone.description"],
  },

  project: {
    number: "project.number",
    title: "project.name",
    url: "project.html_url",
    body: ["project.body"],
  },
  // A card and a column have REST addresses only.
  project_card: {
    title: firstLine("project_card.note"),
    body: ["project_card.note"],
  },
  project_column: {
    title: "project_column.name",
  },

  projects_v2: {
    number: "projects_v2.number",
    title: "projects_v2.title",
    url: sitePage`/orgs/${"organization.login"}/projects/${"projects_v2.number"}`,
    body: ["projects_v2.short_description", "projects_v2.description"],
  },
  // Names its project and its content by node ids; the project's number comes with a changed field only.
  projects_v2_item: {
    url: sitePage`/orgs/${"organization.login"}/projects/${"changes.field_value.project_number"}`,
    body: ["changes.field_value.field_name"],
  },
  projects_v2_status_update: {
    title: ["projects_v2_status_update.status", firstLine("projects_v2_status_update.body")],
    body: ["projects_v2_status_update.body"],
  },
};
