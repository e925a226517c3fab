import type { Configuration } from './configuration.ts';

/** Executions that must be left to REST and GraphQL requests, or bursts get 429. */
const MIN_FOR_REQUESTS = 3;

/**
 * A new on-demand table takes 4,000 writes a second, of which a partition takes 1,000, and its stream has a shard for each. An
 * event source invokes its function once at a time for each shard. Lambda has no limit for that, and none can be reserved here.
 */
const NEW_TABLE_SHARDS = 4;

/** The most that Lambda allows. Streams mostly wait, and it sends fewer requests to an environment that is busy. */
export const REQUESTS_PER_ENVIRONMENT = 128;

/** The part of the executions beside background functions that streams may take. The others are left to requests. */
const STREAMS_PART = 0.4;
const MAX_STREAMS = 10_000;

/** Batches of `post-webhook` at once. Lambda allows no lower limit. */
export const WEBHOOK_CONCURRENCY = 2;

type Settings = Pick<Configuration, 'subscriptions' | 'events' | 'concurrency'> &
  Partial<Pick<Configuration, 'webhookUrl'>>;

/** Returns the default of `maxStreams`. Streams of a web function take no execution, and each environment counts its own. */
export function getDefaultStreams(settings: Settings & Pick<Configuration, 'graphqlConcurrency'>): number {
  const { subscriptions, graphqlConcurrency } = settings;
  if (subscriptions === 'web-function') return REQUESTS_PER_ENVIRONMENT;
  const left = settings.concurrency - countOtherExecutions({ ...settings, maxStreams: 0 });
  const reserved = typeof graphqlConcurrency === 'number' ? Math.floor(graphqlConcurrency / 2) : MAX_STREAMS;
  return Math.max(0, Math.min(Math.floor(left * STREAMS_PART), reserved, MAX_STREAMS));
}

/** The executions that can be taken at once without any request: by streams, by readers of the table's stream, by `post-webhook` and by `index-pages`. */
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

/** Describes a shortage of concurrent executions. Undefined if the account has enough. */
export function describeShortage(settings: Settings & { maxStreams: number }): string | undefined {
  const { concurrency } = settings;
  const left = Math.max(0, concurrency - countOtherExecutions(settings));
  if (left >= MIN_FOR_REQUESTS) return undefined;
  return `In bursts, streams and background functions leave ${left} of ${concurrency} concurrent executions to requests. Raise the quota of the account, then set concurrency.`;
}
