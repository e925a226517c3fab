import { type Publisher, tryToPublishBatch } from '../../lib/features/events/publish.ts';
import { type Checkpoints, followStream, readStoredCheckpoints } from './change-stream.ts';
import { type Consumed, startTrimming } from './database/stream-records.ts';
import type { Options } from './options.ts';
import { enableStream, LOCAL_TABLE } from './table.ts';
import { createWebhook, describeUrl, provideSecret } from './webhook.ts';

/** The webhook that receives events, without what may be secret in its URL, and its secret if that was made now. */
export type Webhook = { url: string; newSecret?: string };

export type ChangeFollowers = { webhook?: Webhook; stop(): Promise<void> };

/** The checkpoint files of the webhook have this name. */
const EVENTS = 'events';

/**
 * Connects on-change and, with --events, a webhook to the table's stream, as the stack does with its bus: each at its own pace. An
 * external database may not offer streams. `file` is that of the embedded engine.
 */
export async function followChanges(
  options: Options,
  folder: string | undefined,
  file: string | undefined,
): Promise<ChangeFollowers> {
  const receiver = findReceiver(options, folder);
  const { handler } = await import('../../functions/on-change.ts');
  const tableName = process.env.TABLE_NAME ?? LOCAL_TABLE;
  try {
    const stream = await enableStream(tableName);
    const changes = await followStream(stream, handler, { folder });
    const events = await followEvents(stream, receiver, folder);
    const left = folder === undefined ? undefined : readStoredCheckpoints(folder, EVENTS);
    const readConsumed = () => findConsumed(changes.readCheckpoints(), events ? events.readCheckpoints() : left);
    const trimming = file === undefined ? undefined : startTrimming(file, tableName, readConsumed);
    return {
      ...(events ? { webhook: events.webhook } : {}),
      async stop() {
        await Promise.all([changes.stop(), events?.stop()]);
        await trimming?.stop();
      },
    };
  } catch (error) {
    console.warn(
      `The table's stream cannot be read, so there are no subscriptions, no events and no clean-up of posts: ${(error as Error).message}`,
    );
    return { async stop() {} };
  }
}

/** A webhook that another start had waits for its records, too. */
const findConsumed = (changes: Checkpoints, events: Checkpoints | undefined): Consumed[] =>
  Object.entries(changes).map(([shard, sequence]) => ({
    shard,
    byOnChange: Number(sequence),
    byAll: events ? Math.min(Number(sequence), Number(events[shard] ?? 0)) : Number(sequence),
  }));

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
    name: EVENTS,
  });
  return {
    readCheckpoints: follower.readCheckpoints,
    webhook: { url: describeUrl(url), ...(isNew ? { newSecret: secret } : {}) },
    async stop() {
      stopping.abort();
      await follower.stop();
    },
  };
}
