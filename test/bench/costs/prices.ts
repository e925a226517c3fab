import type { Measured, Units } from './measurements.ts';

/** List prices of us-east-1 in USD, as they were from November 2024 on. Check them before relying on them. */
export const prices = {
  /** DynamoDB, on-demand, per request unit: https://aws.amazon.com/dynamodb/pricing/on-demand/ */
  read: 0.125e-6,
  write: 0.625e-6,
  /** HTTP API, per request up to 300 million a month: https://aws.amazon.com/api-gateway/pricing/ */
  httpApi: 1e-6,
  /** Lambda on arm64, per invocation and per second of 1 GB: https://aws.amazon.com/lambda/pricing/ */
  invocation: 0.2e-6,
  second: 0.0000133334,
};

/** What an invocation is taken to last, in seconds: it cannot be measured without Lambda. */
export const ASSUMED_SECONDS = 0.02;

export const priceOf = ({ reads, writes }: Units): number => reads * prices.read + writes * prices.write;

/** In USD a request. Each change is taken to have an invocation of `on-change` to itself, which busy streams share. */
export function costOfRequest({ door, own, after, changes }: Measured) {
  const invocations = 1 + changes;
  const database = priceOf(own) + priceOf(after);
  const requests = invocations * prices.invocation + (door === 'REST' ? prices.httpApi : 0);
  const compute = invocations * ASSUMED_SECONDS * prices.second;
  return { database, requests, compute, total: database + requests + compute };
}
