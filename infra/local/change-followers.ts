import { type Publisher, tryToPublishBatch } from '../../lib/features/events/publish.ts';
import { followStream } from './change-stream.ts';
import type { Options } from './options.ts';
import { enableStream, LOCAL_TABLE } from './table.ts';
import { createWebhook, describeUrl, provideSecret } from './webhook.ts';

/** The webhook that receives events, without what may be secret in its URL, and its secret if that was made now. */
export type Webhook = { url: string; newSecret?: string };

export type ChangeFollowers = { webhook?: Webhook; stop(): Promise<void> };

/**
 * Connects on-change and, with --events, a webhook to the table's stream, as the stack does with its bus: each at its own pace. An
 * external database may not offer streams.
 */
export async function followChanges(options: Options, folder: string | undefined): Promise<ChangeFollowers> {
  const receiver = findReceiver(options, folder);
  const { handler } = await import('../../functions/on-change.ts');
  try {
    const stream = await enableStream(process.env.TABLE_NAME ?? LOCAL_TABLE);
    const changes = await followStream(stream, handler, { folder });
    const events = await followEvents(stream, receiver, folder);
    return {
      ...(events ? { webhook: events.webhook } : {}),
      async stop() {
        await Promise.all([changes.stop(), events?.stop()]);
      },
    };
  } catch (error) {
    console.warn(
      `The table's stream cannot be read, so there are no subscriptions, no events and no clean-up of posts: ${(error as Error).message}`,
    );
    return { async stop() {} };
  }
}

type Receiver = { url: string; secret: string; isNew: boolean };

/** A secret that cannot be read ends the start: without it there would be no events, or none that can be verified. */
function findReceiver({ events: url, eventsSecret }: Options, folder: string | undefined): Receiver | undefined {
  if (!url) return undefined;
  return { url, ...(eventsSecret ? { secret: eventsSecret, isNew: false } : provideSecret(folder)) };
}

async function followEvents(stream: string, receiver: Receiver | undefined, folder: string | undefined) {
  if (!receiver) return undefined;
  const { url, secret, isNew } = receiver;
  const stopping = new AbortController();
  const publisher: Publisher = { send: createWebhook(url, secret, stopping.signal), accepted: new Set() };
  const follower = await followStream(stream, (event) => tryToPublishBatch(event, publisher), {
    folder,
    name: 'events',
  });
  return {
    webhook: { url: describeUrl(url), ...(isNew ? { newSecret: secret } : {}) },
    async stop() {
      stopping.abort();
      await follower.stop();
    },
  };
}
