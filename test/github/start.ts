/**
 * Starts the stand-in GitHub: `emulate`, which we did not write, behind a thin front for what it lacks.
 *
 * Everything can be steered through the returned object, and over HTTP below `/_stand-in/` (loopback only), where the
 * stand-in is a process of its own: `POST` JSON to `faults`, `change`, `deliver`, `hook`.
 */
import { createServer } from "node:net";
import { createEmulator } from "emulate";
import { about, applyChange, type Change, type Hook } from "./changes.ts";
import { type HookSettings, type SentDelivery, send } from "./deliveries.ts";
import { exampleOf } from "./examples.ts";
import { type Fault, Faults } from "./faults.ts";
import { Front } from "./front.ts";
import { listen } from "./http.ts";
import { type AppSettings, UserTokens } from "./user-tokens.ts";
import { World, type WorldDescription } from "./world.ts";

export interface StandInOptions extends Partial<AppSettings>, Partial<HookSettings> {
  /** Where people come back to: the Worker's `/oauth/callback`. GitHub refuses every other. */
  callbackUrls: string[];
  /** 0 = any free one. */
  port?: number;
}

/** An event as a person causes it: the first of octokit's examples of its kind, in this repository and by them. */
export interface Occurrence {
  event: string;
  action?: string;
  repository: string;
  sender: string;
  /** Members to replace at the top of the payload. */
  payload?: Record<string, unknown>;
}

export interface StandInGitHub {
  /** GITHUB_URL. */
  url: string;
  /** GITHUB_API_URL, as a GitHub Enterprise Server has it. */
  apiUrl: string;
  app: AppSettings & HookSettings;
  /** The variables of a Worker that belongs to this GitHub and its App. */
  settings: Readonly<Record<string, string>>;
  world: World;
  front: Front;
  tokens: UserTokens;
  faults: Faults;
  /** Changes the world and tells the Worker; `quietly`: the webhook got lost. */
  change(change: Change, options?: { quietly?: boolean }): Promise<SentDelivery | null>;
  /** Something happened in a repository that the App is installed on. */
  deliver(occurrence: Occurrence): Promise<SentDelivery | null>;
  close(): Promise<void>;
}

export async function startGitHub(description: WorldDescription, options: StandInOptions): Promise<StandInGitHub> {
  const app = {
    clientId: "Iv23liStandIn",
    clientSecret: "client-secret-of-the-stand-in",
    webhookSecret: "webhook-secret-of-the-stand-in",
    appId: 1,
    ...options,
  };
  const world = new World(description);
  const faults = new Faults();
  let front: Front | null = null;
  const control = (request: Request, action: string) => steer(standIn, request, action);
  const listener = await listen(async (request) => {
    const [, action] = /^\/_stand-in\/(\w+)$/.exec(new URL(request.url).pathname) ?? [];
    if (action) return control(request, action);
    return front ? front.handle(request) : null;
  }, options.port);

  const emulatorPort = await freePort();
  const emulator = await createEmulator({
    service: "github",
    port: emulatorPort,
    baseUrl: listener.url,
    seed: { tokens: {}, github: seedOf(world, app, options.callbackUrls) },
  });
  const upstream = `http://127.0.0.1:${emulatorPort}`;
  const tokens = new UserTokens(app, upstream);
  front = new Front({ world, tokens, faults, app, upstream });

  const hook = (one: Hook) => send(app, one);
  const standIn: StandInGitHub = {
    url: listener.url,
    apiUrl: `${listener.url}/api/v3`,
    app,
    settings: {
      GITHUB_URL: listener.url,
      GITHUB_API_URL: `${listener.url}/api/v3`,
      GITHUB_APP_ID: String(app.appId),
      GITHUB_CLIENT_ID: app.clientId,
      GITHUB_CLIENT_SECRET: app.clientSecret,
      GITHUB_WEBHOOK_SECRET: app.webhookSecret,
    },
    world,
    front,
    tokens,
    faults,
    async change(change, { quietly = false } = {}) {
      const told = applyChange(world, change);
      if (change.kind === "revoke-authorization") tokens.revoke(change.user);
      return quietly ? null : hook(told);
    },
    deliver({ event, action, repository, sender, payload }) {
      const example = exampleOf(event, action);
      return hook({
        event,
        payload: { ...example, ...about(world, world.repository(repository), sender), ...payload },
      });
    },
    async close() {
      await Promise.all([listener.close(), emulator.close()]);
    },
  };
  return standIn;
}

/** What emulate is to know: people who can sign in, their organizations, the App. Who sees what is the front's. */
function seedOf(world: World, app: AppSettings, callbackUrls: string[]) {
  const logins = (type: string) => [...world.accounts.values()].filter((account) => account.type === type);
  return {
    users: logins("User").map(({ login }) => ({ login, name: login })),
    orgs: logins("Organization").map(({ login }) => ({ login })),
    oauth_apps: [
      {
        client_id: app.clientId,
        client_secret: app.clientSecret,
        name: "github-webhook-mcp",
        // The last one is where user-tokens.ts sends its own sign-ins.
        redirect_uris: [...callbackUrls, "http://127.0.0.1/"],
      },
    ],
  };
}

async function steer(standIn: StandInGitHub, request: Request, action: string): Promise<Response> {
  if (request.method !== "POST") return Response.json({ seen: standIn.front.seen });
  const body = JSON.parse((await request.text()) || "null");
  switch (action) {
    case "faults":
      standIn.faults.set(...(body as Fault[]));
      return Response.json({ ok: true });
    case "change":
      return Response.json({ delivery: await standIn.change(body as Change) });
    case "deliver":
      return Response.json({ delivery: await standIn.deliver(body as Occurrence) });
    case "hook":
      standIn.app.webhookUrl = String(body);
      return Response.json({ ok: true });
    default:
      return Response.json({ message: "unknown action" }, { status: 404 });
  }
}

/** emulate does not say which port it took. */
function freePort(): Promise<number> {
  return new Promise((done, fail) => {
    const server = createServer();
    server.once("error", fail);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => done(port));
    });
  });
}
