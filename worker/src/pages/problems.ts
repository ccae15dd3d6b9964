/** The pages on which a sign-in ends badly: what happened, and what the person can do about it. */
import { html } from "hono/html";
import { type Html, messagePage } from "./page.ts";

export type SignInProblem =
  | "unknown-client"
  | "client-document"
  | "repeated-parameter"
  | "redirect-uri"
  | "no-redirect-uri"
  | "incomplete-poll"
  | "poll-target"
  | "state-taken"
  | "state-over"
  | "unknown-visit"
  | "other-browser"
  | "not-approved"
  | "foreign-form"
  | "session-over"
  | "rate"
  | "not-configured"
  | "unavailable"
  | "method";

interface Text {
  status: number;
  title: string;
  paragraphs: (string | Html)[];
}

const START_AGAIN = "Go back to the program and start the sign-in again there.";

const TEXTS: Readonly<Record<SignInProblem, Text>> = {
  "unknown-client": {
    status: 400,
    title: "This program is not known here",
    paragraphs: [
      "It has never registered with this server, or its registration was removed after a year without use.",
      "Reset its connection: remove this server from the program (or clear its saved sign-in) and add it again.",
    ],
  },
  "client-document": {
    status: 400,
    title: "This program could not be identified",
    paragraphs: ["It says that a web page describes it, and that page could not be used.", START_AGAIN],
  },
  "repeated-parameter": {
    status: 400,
    title: "This link is broken",
    paragraphs: ["A part of it stands in it twice.", START_AGAIN],
  },
  "redirect-uri": {
    status: 400,
    title: "This link leads to the wrong place",
    paragraphs: [
      "The answer would go to an address that the program has not registered, so nothing was sent.",
      "If you opened the link from the program itself, remove this server there and add it again.",
    ],
  },
  "no-redirect-uri": {
    status: 400,
    title: "This link is incomplete",
    paragraphs: [
      "It does not say where the answer should go. The link may have been cut when it was copied.",
      START_AGAIN,
    ],
  },
  "incomplete-poll": {
    status: 400,
    title: "This link is incomplete",
    paragraphs: [
      "The link may have been cut when it was opened or copied: check that everything after the first “&” is there.",
      "Or the program that made it (the bridge) is too old: versions 0.11.x do not send what is needed any more. Update it to 0.12 or newer.",
    ],
  },
  "poll-target": {
    status: 400,
    title: "This link is for another server",
    paragraphs: ["It names a resource that is not served here.", START_AGAIN],
  },
  "state-taken": {
    status: 400,
    title: "This link is in use",
    paragraphs: ["Another program has already begun a sign-in with it. Nothing was changed.", START_AGAIN],
  },
  "state-over": {
    status: 400,
    title: "This sign-in is over",
    paragraphs: ["The link was used before, or it took more than ten minutes.", START_AGAIN],
  },
  "unknown-visit": {
    status: 400,
    title: "This sign-in is over",
    paragraphs: ["It took more than ten minutes, or it was finished before.", START_AGAIN],
  },
  "other-browser": {
    status: 400,
    title: "This sign-in was begun elsewhere",
    paragraphs: [
      "It can only be finished in the browser that it was begun in, with cookies allowed. Nothing was changed.",
      "If somebody sent you a link, do not go on: they would be signed in as you. Otherwise start again in this browser.",
    ],
  },
  "not-approved": {
    status: 400,
    title: "This sign-in was not approved",
    paragraphs: ["The question on the first page has not been answered. Nothing was changed.", START_AGAIN],
  },
  "foreign-form": {
    status: 403,
    title: "This form came from another site",
    paragraphs: ["Nothing was changed.", START_AGAIN],
  },
  "session-over": {
    status: 400,
    title: "You are not signed in here any more",
    paragraphs: [
      "This page asks who you are every ten minutes. Nothing was changed.",
      html`<a href="/oauth/grants">Sign in and show the programs with access</a>`,
    ],
  },
  rate: { status: 429, title: "Too many requests", paragraphs: ["Wait a minute, then load this page again."] },
  "not-configured": {
    status: 503,
    title: "Sign-in is not set up",
    paragraphs: ["This server has no GitHub App yet. Its operator sets GITHUB_CLIENT_ID and GITHUB_CLIENT_SECRET."],
  },
  unavailable: {
    status: 503,
    title: "Something is out of reach",
    paragraphs: ["This page could not be made right now. Try again in a minute; nothing was changed."],
  },
  method: { status: 405, title: "Nothing to see here", paragraphs: [START_AGAIN] },
};

/** The page of a problem. `detail`: one more paragraph. */
export function problemPage(problem: SignInProblem, detail?: string, headers?: Record<string, string>): Response {
  const { status, title, paragraphs } = TEXTS[problem];
  return messagePage(title, detail ? [...paragraphs, detail] : paragraphs, { status, headers });
}
