import type { Settings } from '../settings/settings.ts';

/** Concurrent executions to keep for requests. If fewer remain, bursts of requests get 429. */
const MIN_FOR_REQUESTS = 3;

/**
 * Concurrent executions of a stream consumer: one per shard. A new on-demand table has 4 partitions (1,000 writes per
 * second each), and its stream one shard per partition. A lower limit cannot be configured.
 */
const NEW_TABLE_SHARDS = 4;

/**
 * Concurrent requests per environment of a web function: Lambda's maximum, because open subscriptions are mostly idle.
 */
export const REQUESTS_PER_ENVIRONMENT = 128;

/**
 * Executions of the account that Lambda keeps unreserved.
 * https://docs.aws.amazon.com/lambda/latest/dg/configuration-concurrency.html
 */
export const UNRESERVED_EXECUTIONS = 100;

const STREAMS_PART = 0.4;
const MAX_STREAMS = 10_000;

/** Concurrent executions of post-webhook: Lambda's minimum. Each handles one batch. */
export const WEBHOOK_CONCURRENCY = 2;

type Consumers = Pick<Settings, 'subscriptions' | 'events' | 'concurrency'> & Partial<Pick<Settings, 'webhookUrl'>>;

/**
 * Returns the default of `maxStreams`. For a web function, the value applies per environment, and streams use none of
 * the account's concurrent executions.
 */
export function getDefaultStreams(settings: Consumers & Pick<Settings, 'graphqlConcurrency'>): number {
  const { subscriptions, graphqlConcurrency } = settings;
  if (subscriptions === 'web-function') return REQUESTS_PER_ENVIRONMENT;
  const left = settings.concurrency - countOtherExecutions({ ...settings, maxStreams: 0 });
  const reserved = typeof graphqlConcurrency === 'number' ? Math.floor(graphqlConcurrency / 2) : MAX_STREAMS;
  return Math.max(0, Math.min(Math.floor(left * STREAMS_PART), reserved, MAX_STREAMS));
}

export function countOtherExecutions({
  subscriptions,
  maxStreams,
  events,
  webhookUrl,
}: Omit<Consumers, 'concurrency'> & { maxStreams: number }): number {
  const streams = subscriptions === 'web-function' ? 0 : maxStreams;
  const consumers = events ? 2 : 1;
  return streams + consumers * NEW_TABLE_SHARDS + (webhookUrl ? WEBHOOK_CONCURRENCY : 0) + 1;
}

export function describeShortage(settings: Consumers & { maxStreams: number }): string | undefined {
  const { concurrency } = settings;
  const left = Math.max(0, concurrency - countOtherExecutions(settings));
  if (left >= MIN_FOR_REQUESTS) return undefined;
  return `Only ${left} of ${concurrency} concurrent executions remain for requests when all streams and background functions run. Raise the Lambda quota of the account, then set concurrency.`;
}
