/**
 * The stand-in GitHub as a process: `node test/github/main.ts '{"callbackUrls":["http://127.0.0.1:8787/oauth/callback"]}'`.
 *
 * Takes {@link StandInOptions} as JSON, says where it listens in one line of JSON, and ends with SIGTERM or SIGINT.
 */
import { startGitHub } from "./start.ts";
import { SMALL_WORLD } from "./worlds.ts";

const github = await startGitHub(SMALL_WORLD, JSON.parse(process.argv[2] ?? '{"callbackUrls":[]}'));
console.log(JSON.stringify({ url: github.url, apiUrl: github.apiUrl }));
for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, () => github.close());
