/** `logout`: ends the grant at the Worker, and forgets the sign-in here. */
import type { BridgeConfig } from "../ports.ts";
import { makeParts } from "./parts.ts";

/** @returns the exit code: 1 where the Worker could not be told */
export async function logout(config: BridgeConfig): Promise<number> {
  const { network, state, oauth } = makeParts(config);
  try {
    const { tokens, client } = await state.read();
    if (!tokens || !client) {
      await state.update(({ pendingSignIn: _, ...rest }) => rest);
      process.stdout.write(`Nobody is signed in at ${config.workerUrl} on this machine.\n`);
      return 0;
    }
    const revoked = await oauth.revoke(client.clientId, tokens.refreshToken ?? tokens.accessToken);
    await state.update(({ tokens: _, pendingSignIn: __, stream: ___, ...rest }) => rest);
    if (revoked.outcome === "ok") {
      process.stdout.write(`Signed out of ${config.workerUrl}.\n`);
      return 0;
    }
    const reason = revoked.outcome === "refused" ? revoked.description || revoked.error : revoked.sentence;
    process.stderr.write(
      `Forgotten on this machine, but the Worker could not be told: ${reason} End the grant at ${config.workerUrl}/oauth/grants\n`,
    );
    return revoked.outcome === "refused" ? 0 : 1;
  } finally {
    await network.close();
  }
}
