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

/** @param open what happens with the page of a sign-in; a browser, unless told otherwise */
export function makeParts({ workerUrl, stateDirectory }: BridgeConfig, open = openBrowser): Parts {
  const network = createNetwork(process.env);
  const state = openStateFile(stateDirectory, workerUrl);
  const oauth = new OAuthClient(network, workerUrl);
  return { network, state, oauth, access: createAccess({ oauth, state, openBrowser: open }) };
}
