import { type Publisher, tryToPublishBatch } from '../../lib/features/events/publish.ts';
import { followStream, isInStream, type StreamOptions } from './change-stream.ts';
import { type Checkpoints, loadCheckpoints } from './checkpoints.ts';
import { type Consumed, hasReached, startTrimming } from './database/stream-records.ts';
import type { Options } from './options.ts';
import { enableStream, LOCAL_TABLE } from './table.ts';
import { createWebhook, describeUrl, provideSecret } from './webhook.ts';

/** `url` lacks secret parts, such as the query. `newSecret`: set if this start created it. */
export type Webhook = { url: string; newSecret?: string };

export type ChangeFollowers = { webhook?: Webhook; stop(): Promise<void> };

/** `file` is the embedded engine's SQLite database. Does nothing if an external database has no streams. */
export async function followChanges(
  options: Options,
  folder: string | undefined,
  file: string | undefined,
): Promise<ChangeFollowers> {
  const receiver = findReceiver(options, folder);
  const { handler } = await import('../../functions/on-change.ts');
  const tableName = process.env.TABLE_NAME ?? LOCAL_TABLE;
  const stream = await findStream(tableName);
  if (stream === undefined) return { async stop() {} };
  const open = (name: string) => openCheckpoints({ stream, folder, file, tableName }, name);
  // Loads both checkpoints before any consumer runs: consumers write, so the stream of a restored database would soon
  // reach an outdated checkpoint, which would then look valid.
  const start = { changes: await open('stream'), events: await open('events') };
  const changes = await followStream(stream, handler, start.changes);
  const events = await followEvents(stream, receiver, start.events);
  const readConsumed = () =>
    findConsumed(changes.readCheckpoints(), events ? events.readCheckpoints() : start.events.checkpoints);
  const trimming = file === undefined ? undefined : startTrimming(file, tableName, readConsumed);
  return {
    ...(events ? { webhook: events.webhook } : {}),
    async stop() {
      await Promise.all([changes.stop(), events?.stop()]);
      await trimming?.stop();
    },
  };
}

async function findStream(tableName: string): Promise<string | undefined> {
  try {
    return await enableStream(tableName);
  } catch (error) {
    console.warn(
      `The table's stream cannot be read, so there are no subscriptions, no events and no clean-up of posts: ${(error as Error).message}`,
    );
    return undefined;
  }
}

type Source = { stream: string; tableName: string; folder: string | undefined; file: string | undefined };

async function openCheckpoints({ stream, tableName, folder, file }: Source, name: string): Promise<StreamOptions> {
  if (folder === undefined) return {};
  const checkpointFile = { folder, name, stream };
  const checkpoints = await loadCheckpoints(checkpointFile, (shard, sequence) =>
    // The embedded engine's consumed records are deleted, so only the numbers can be compared.
    file === undefined ? isInStream(stream, shard, sequence) : hasReached(file, tableName, Number(sequence)),
  );
  return { file: checkpointFile, checkpoints };
}

/** `events`: positions of the webhook, even if only an earlier start had one: its unread records must be kept. */
const findConsumed = (changes: Checkpoints, events: Checkpoints | undefined): Consumed[] =>
  Object.entries(changes).map(([shard, sequence]) => ({
    shard,
    byOnChange: Number(sequence),
    byAll: events ? Math.min(Number(sequence), Number(events[shard] ?? 0)) : Number(sequence),
  }));

type Receiver = { url: string; secret: string; isNew: boolean };

function findReceiver({ events: url, eventsSecret }: Options, folder: string | undefined): Receiver | undefined {
  if (!url) return undefined;
  return { url, ...(eventsSecret ? { secret: eventsSecret, isNew: false } : provideSecret(folder)) };
}

async function followEvents(stream: string, receiver: Receiver | undefined, start: StreamOptions) {
  if (!receiver) return undefined;
  const { url, secret, isNew } = receiver;
  const stopping = new AbortController();
  const publisher: Publisher = { send: createWebhook(url, secret, stopping.signal), accepted: new Set() };
  const follower = await followStream(stream, (event) => tryToPublishBatch(event, publisher), start);
  return {
    readCheckpoints: follower.readCheckpoints,
    webhook: { url: describeUrl(url), ...(isNew ? { newSecret: secret } : {}) },
    async stop() {
      stopping.abort();
      await follower.stop();
    },
  };
}
