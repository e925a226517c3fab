import type { Configuration } from './configuration.ts';

/** Below this, bursts of requests get 429. */
const MIN_FOR_REQUESTS = 3;

/**
 * A new on-demand table takes 4,000 writes a second, 1,000 per partition, and its stream has a shard per partition. An event source runs
 * one invocation per shard. Lambda cannot limit that further.
 */
const NEW_TABLE_SHARDS = 4;

/** Lambda's maximum. Streams mostly wait, and Lambda sends fewer requests to busy environments. */
export const REQUESTS_PER_ENVIRONMENT = 128;

/** Share of the executions left by background functions. The rest is for requests. */
const STREAMS_PART = 0.4;
const MAX_STREAMS = 10_000;

/** Concurrent batches of `post-webhook`. Lambda's minimum. */
export const WEBHOOK_CONCURRENCY = 2;

type Settings = Pick<Configuration, 'subscriptions' | 'events' | 'concurrency'> &
  Partial<Pick<Configuration, 'webhookUrl'>>;

/** Returns the default of `maxStreams`. Streams of a web function take no execution; each environment counts its own. */
export function getDefaultStreams(settings: Settings & Pick<Configuration, 'graphqlConcurrency'>): number {
  const { subscriptions, graphqlConcurrency } = settings;
  if (subscriptions === 'web-function') return REQUESTS_PER_ENVIRONMENT;
  const left = settings.concurrency - countOtherExecutions({ ...settings, maxStreams: 0 });
  const reserved = typeof graphqlConcurrency === 'number' ? Math.floor(graphqlConcurrency / 2) : MAX_STREAMS;
  return Math.max(0, Math.min(Math.floor(left * STREAMS_PART), reserved, MAX_STREAMS));
}

/** Executions that can be busy without any request. */
export function countOtherExecutions({
  subscriptions,
  maxStreams,
  events,
  webhookUrl,
}: Omit<Settings, 'concurrency'> & { maxStreams: number }): number {
  const streams = subscriptions === 'web-function' ? 0 : maxStreams;
  const consumers = events ? 2 : 1;
  return streams + consumers * NEW_TABLE_SHARDS + (webhookUrl ? WEBHOOK_CONCURRENCY : 0) + 1;
}

/** Undefined if there is no shortage. */
export function describeShortage(settings: Settings & { maxStreams: number }): string | undefined {
  const { concurrency } = settings;
  const left = Math.max(0, concurrency - countOtherExecutions(settings));
  if (left >= MIN_FOR_REQUESTS) return undefined;
  return `Only ${left} of ${concurrency} concurrent executions remain for requests when all streams and background functions run. Raise the Lambda quota of the account, then set concurrency.`;
}
