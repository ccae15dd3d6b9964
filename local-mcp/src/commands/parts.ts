/** The parts that every command is made of, for one Worker. */
import { createAccess } from "../access/access.ts";
import { openBrowser } from "../access/browser.ts";
import { OAuthClient } from "../access/oauth-client.ts";
import { createNetwork } from "../network/network.ts";
import type { Access, BridgeConfig, Network, StateFile } from "../ports.ts";
import { openStateFile } from "../state/state-file.ts";

export interface Parts {
  network: Network;
  state: StateFile;
  oauth: OAuthClient;
  access: Access;
}

export interface PartsOptions {
  /** What happens with the page of a sign-in: a browser opens it, unless told otherwise. */
  open?(url: string): void;
  /** How long somebody who has to sign in may wait to hear so; a second, unless told otherwise. */
  firstAnswerMs?: number;
}

export function makeParts({ workerUrl, stateDirectory }: BridgeConfig, options: PartsOptions = {}): Parts {
  const { open = openBrowser, firstAnswerMs } = options;
  const network = createNetwork(process.env);
  const state = openStateFile(stateDirectory, workerUrl);
  const oauth = new OAuthClient(network, workerUrl);
  const access = createAccess({ oauth, state, openBrowser: open, ...(firstAnswerMs && { firstAnswerMs }) });
  return { network, state, oauth, access };
}
