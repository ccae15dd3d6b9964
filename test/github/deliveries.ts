/** Webhooks of the App: signed, with a GUID of their own, sent to the Worker. */
import { createHmac, randomUUID } from "node:crypto";
import type { Hook } from "./changes.ts";

export interface HookSettings {
  /** Where the Worker takes webhooks; absent: nothing is sent. */
  webhookUrl?: string;
  webhookSecret: string;
  appId: number;
}

export interface SentDelivery {
  guid: string;
  event: string;
  status: number;
  body: string;
}

/** Sends one, and returns what the Worker said; null where no address is set. */
export async function send(settings: HookSettings, { event, payload }: Hook): Promise<SentDelivery | null> {
  if (settings.webhookUrl === undefined) return null;
  const guid = randomUUID();
  const text = JSON.stringify(payload);
  const answer = await fetch(settings.webhookUrl, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      "User-Agent": "GitHub-Hookshot/stand-in",
      "X-GitHub-Event": event,
      "X-GitHub-Delivery": guid,
      "X-GitHub-Hook-ID": "1",
      "X-GitHub-Hook-Installation-Target-Type": "integration",
      "X-GitHub-Hook-Installation-Target-ID": String(settings.appId),
      "X-Hub-Signature-256": `sha256=${createHmac("sha256", settings.webhookSecret).update(text).digest("hex")}`,
    },
    body: text,
  });
  return { guid, event, status: answer.status, body: await answer.text() };
}
