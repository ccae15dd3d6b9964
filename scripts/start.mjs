/**
 * `npm start`: the Worker in local mode on this machine, with its Durable Objects on disk.
 *
 * Runs `wrangler dev` on loopback and prints how to connect. With a GITHUB_CLIENT_ID it is the deployed behaviour on
 * loopback instead, sign-in included. Everything it starts ends with it.
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { banner, painter, wantsColour } from "./start/banner.mjs";
import { devConfig } from "./start/dev-config.mjs";
import { stopRequested } from "./start/lifetime.mjs";
import { mergeSettings, readDevVars, readPort, SECRETS } from "./start/settings.mjs";
import {
  claimStateDirectory,
  localToken,
  prepareStateDirectory,
  stateDirectory,
  writePrivate,
} from "./start/state.mjs";
import { reservePort, startWrangler } from "./start/wrangler.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const colour = wantsColour(process.stdout, process.env);

// `npm start | head`: it goes on serving when nobody reads any more.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

let code = 1;
try {
  code = await serve();
} catch (error) {
  process.stderr.write(`\n${error.message}\n`);
}
// Whatever still holds a pipe to us must not keep us.
process.exit(code);

async function serve() {
  const wantedPort = readPort(process.env.PORT);
  const stateDir = stateDirectory(root, process.env.STATE_DIR);
  prepareStateDirectory(stateDir);
  const settings = mergeSettings(process.env, readDevVars(join(root, ".dev.vars")));
  const local = !settings.GITHUB_CLIENT_ID;
  const token = local ? localToken(stateDir, process.env.LOCAL_TOKEN) : null;

  const port = await reservePort(wantedPort);
  const url = `http://127.0.0.1:${port}`;
  settings.PUBLIC_URL ??= url;
  if (token) Object.assign(settings, { LOCAL_MODE: "1", LOCAL_TOKEN: token });

  const release = await claimStateDirectory(stateDir, { url, token });
  process.once("exit", release);

  const secrets = pick(settings, (name) => SECRETS.includes(name) || name === "LOCAL_TOKEN");
  const vars = pick(settings, (name) => !(name in secrets));
  const configPath = join(stateDir, "wrangler.json");
  writePrivate(configPath, JSON.stringify(devConfig(join(root, "wrangler.toml"), vars, Object.keys(secrets)), null, 2));

  const stop = stopRequested(process.env).then(() => "stop");
  const webhookSecret = !secrets.GITHUB_WEBHOOK_SECRET
    ? null
    : process.env.GITHUB_WEBHOOK_SECRET
      ? "environment"
      : ".dev.vars";
  let greeting = banner({ url, publicUrl: settings.PUBLIC_URL, token, webhookSecret, stateDir }, painter(colour));
  try {
    for (;;) {
      const wrangler = startWrangler({ configPath, stateDir, port, secrets, colour });
      try {
        if ((await Promise.race([wrangler.ready, stop])) === "stop") return 0;
        process.stdout.write(`${greeting}\n${await configurationErrors(url)}`);
        wrangler.show();
        const outcome = await Promise.race([wrangler.ended, wrangler.lost, stop]);
        if (outcome === "stop") return 0;
        if (typeof outcome === "number") throw new Error(`wrangler dev ended by itself (exit code ${outcome}).`);
      } finally {
        await wrangler.stop();
      }
      greeting = "The Workers runtime was lost and has been started again. What was stored is still there.";
    }
  } finally {
    release();
  }
}

/** What /healthz says is wrong with the settings, as lines for the terminal; nothing when all is well. */
async function configurationErrors(url) {
  const answer = await fetch(`${url}/healthz`);
  if (answer.ok) return "";
  const { errors = [] } = /** @type {{ errors?: string[] }} */ (await answer.json().catch(() => ({})));
  return ["The Worker can't serve with these settings:", ...errors, ""].join("\n  ");
}

function pick(settings, wanted) {
  return Object.fromEntries(Object.entries(settings).filter(([name]) => wanted(name)));
}
