/**
 * Who is asking, and what GitHub lets them see. A viewer comes with each request, from its token; nothing about a
 * user is kept in an instance.
 */
import { createHash } from "node:crypto";

/** Repository id that stands for events without a repository. */
export const NO_REPOSITORY = 0;

/** The account whose store takes signed deliveries that belong to no account. */
export const OPERATOR_ACCOUNT = 0;

export interface ViewerAccount {
  /** GitHub's numeric id of the user or organization; 0 = the operator's store. */
  accountId: number;
  login: string;
  /** `all` for the viewer's own account and for organizations they own. */
  repositories: "all" | ReadonlySet<number>;
  /** Owners also see the organization's events that have no repository. */
  orgOwner: boolean;
}

export interface Viewer {
  /** GitHub's numeric user id; 0 = the one viewer of local mode. */
  userId: number;
  accounts: readonly ViewerAccount[];
}

/** A viewer as one store needs to know them: plain data, cheap to send over RPC. */
export interface StoreViewer {
  userId: number;
  /** Sorted ids, with {@link NO_REPOSITORY} among them where repository-less events may be seen. */
  repositories: "all" | readonly number[];
  /** Names this set of repositories; equal sets have equal versions. */
  version: string;
}

/** Narrows a viewer to one of their accounts. */
export function storeViewer(viewer: Viewer, account: ViewerAccount): StoreViewer {
  if (account.repositories === "all") return { userId: viewer.userId, repositories: "all", version: "all" };
  const ids = new Set(account.repositories);
  if (account.orgOwner) ids.add(NO_REPOSITORY);
  else ids.delete(NO_REPOSITORY);
  const repositories = [...ids].sort((a, b) => a - b);
  const version = createHash("sha256").update(repositories.join()).digest("base64url").slice(0, 8);
  return { userId: viewer.userId, repositories, version };
}
