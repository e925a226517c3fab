import type { Configuration } from './configuration.ts';

/** A new account has so many concurrent executions, and the service may be its only user. */
const NEW_ACCOUNT_EXECUTIONS = 10;

/** So many must be left to REST and GraphQL requests, or bursts get 429. */
const MIN_FOR_REQUESTS = 3;

/**
 * A new on-demand table takes 4,000 writes a second, of which a partition takes 1,000, and its stream has a shard for each. An
 * event source invokes its function once at a time for each shard. Lambda has no limit for that, and none can be reserved here.
 */
const NEW_TABLE_SHARDS = 4;

/** The most that Lambda allows. Streams mostly wait, and it sends fewer requests to an environment that is busy. */
export const REQUESTS_PER_ENVIRONMENT = 128;

/**
 * Only the default, which must suit a new account: with its quota, teams raise `maxStreams`. Streams of a web function take no execution,
 * and each environment counts its own.
 */
const DEFAULT_STREAMS = { 'function-url': 2, 'web-function': REQUESTS_PER_ENVIRONMENT };

type Settings = Pick<Configuration, 'subscriptions' | 'events'>;

export const getDefaultStreams = ({ subscriptions }: Pick<Settings, 'subscriptions'>): number =>
  DEFAULT_STREAMS[subscriptions];

/** The executions that can be taken at once without any request: by streams, by readers of the table's stream and by `index-pages`. */
export function countOtherExecutions({ subscriptions, maxStreams, events }: Settings & { maxStreams: number }): number {
  const streams = subscriptions === 'web-function' ? 0 : maxStreams;
  const consumers = events ? 2 : 1;
  return streams + consumers * NEW_TABLE_SHARDS + 1;
}

/** Says what a new account would lack; undefined if it has enough. */
export function describeShortage(settings: Settings & { maxStreams: number }): string | undefined {
  const left = Math.max(0, NEW_ACCOUNT_EXECUTIONS - countOtherExecutions(settings));
  if (left >= MIN_FOR_REQUESTS) return undefined;
  return `In bursts, streams and background functions leave ${left} of the ${NEW_ACCOUNT_EXECUTIONS} concurrent executions of a new account to requests. Raise the quota there before you deploy.`;
}
