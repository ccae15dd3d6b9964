/** Descriptions that several tests and the demo share. */
import type { WorldDescription } from "./world.ts";

/**
 * `mona` owns the organization `acme`, `hubot` is a member of `globex`, which keeps its repositories from members, and
 * `guest` collaborates on one repository of `acme` from outside.
 */
export const SMALL_WORLD: WorldDescription = {
  users: ["mona", "hubot", "guest"],
  organizations: [
    { login: "acme", owners: ["mona"], members: ["hubot"] },
    { login: "globex", owners: [], members: ["hubot"], membersRead: false },
    { login: "initech", owners: ["mona"] },
  ],
  repositories: [
    "mona/dotfiles",
    "acme/rocket",
    { name: "acme/website", public: true, collaborators: ["guest"] },
    "acme/payroll",
    "globex/reactor",
    { name: "globex/manual", collaborators: ["hubot"] },
    "initech/reports",
  ],
  installations: ["mona", "acme", "globex", { account: "initech", suspended: true }],
};

/**
 * `mona` reaches 250 organizations that installed the App, and 1,500 repositories in them: one of the organizations has
 * 504 (more than five pages), each of the others four. She is a member of 247, the owner of two, a collaborator in the
 * last.
 */
export function largeWorld(): WorldDescription {
  const logins = Array.from({ length: 250 }, (_, index) => `org-${index + 1}`);
  const last = logins.at(-1);
  const repositories = logins.flatMap((login, index) =>
    Array.from({ length: index === 0 ? 504 : 4 }, (_, at) => ({
      name: `${login}/repo-${at + 1}`,
      collaborators: login === last ? ["mona"] : [],
    })),
  );
  return {
    users: ["mona", "stranger"],
    organizations: logins.map((login, index) => ({
      login,
      owners: index === 1 || index === 2 ? ["mona"] : ["stranger"],
      members: login === last ? [] : ["mona"],
    })),
    repositories,
    installations: logins,
  };
}
