/**
 * The bridge as the conformance suite's client: `node conformance-client.ts <server URL>`. The suite's server asks for
 * no sign-in, so one is left in the home; what the scenario wants called is called through the bridge.
 */
import { startBridge } from "./bridge.ts";
import { Home, signedIn } from "./home.ts";

/** Calls by scenario; the others want no more than a handshake and a list. */
const CALLS: Readonly<Record<string, [tool: string, args: Record<string, unknown>]>> = {
  tools_call: ["add_numbers", { a: 5, b: 3 }],
  "sse-retry": ["test_reconnection", {}],
};

const url = process.argv.at(-1)!;
const home = new Home();
home.leave(new URL(url).origin, signedIn());
const bridge = await startBridge(url, { home, env: { WEBHOOK_CHANNEL: "0" } });
try {
  // Before the first list is there, the server has been shaken hands with.
  await bridge.client.listTools();
  const call = CALLS[process.env.MCP_CONFORMANCE_SCENARIO ?? ""];
  if (call) console.error(JSON.stringify(await bridge.call(...call)));
} finally {
  await bridge.close();
  home.dispose();
}
