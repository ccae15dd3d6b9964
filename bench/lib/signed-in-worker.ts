/** The bundled Worker on raw workerd behind the stand-in GitHub, where people sign in as they do to a deployed one. */
import { reservePort } from "../../scripts/start/wrangler.mjs";
import { type StandInGitHub, startGitHub } from "../../test/github/start.ts";
import { SMALL_WORLD } from "../../test/github/worlds.ts";
import { bundle } from "./bundle.ts";
import { Http } from "./http.ts";
import type { Scratch } from "./scratch.ts";
import { readWorkerConfig } from "./worker-config.ts";
import { startWorkerd } from "./workerd.ts";

/** Connections that a bench keeps open. */
const CONNECTIONS = 64;

export interface SignedInWorker {
  origin: string;
  /** Process id of workerd. */
  pid: number;
  http: Http;
  github: StandInGitHub;
  close(): Promise<void>;
}

/**
 * @param name of the bench, for its scratch files
 * @param main the entry that is bundled, an absolute path
 * @param vars on top of the Worker's own
 */
export async function startSignedInWorker(
  scratch: Scratch,
  { name, main, vars }: { name: string; main: string; vars: Record<string, string> },
): Promise<SignedInWorker> {
  const config = { ...readWorkerConfig(), main };
  const modules = bundle(scratch, `${name}-bundle`, config);
  const port = await reservePort(0);
  const origin = `http://127.0.0.1:${port}`;
  const github = await startGitHub(SMALL_WORLD, { callbackUrls: [`${origin}/oauth/callback`] });
  const workerd = await startWorkerd(scratch, {
    name,
    modules,
    config,
    vars: { ...config.vars, PUBLIC_URL: origin, ...github.settings, ...vars },
    data: scratch.folder("data"),
    port,
    outbound: ["local"],
  });
  const http = new Http(origin, CONNECTIONS);
  return {
    origin,
    pid: workerd.pid,
    http,
    github,
    async close() {
      http.close();
      await workerd.stop();
      await github.close();
    },
  };
}
