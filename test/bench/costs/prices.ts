import { ASSUMED_SECONDS, prices } from '../../../infra/prices.ts';
import type { Measured, Units } from './measurements.ts';

export const calculatePrice = ({ reads, writes }: Units): number => reads * prices.read + writes * prices.write;

/** USD per request. Assumes one invocation of `on-change` per change; busy streams share them. */
export function calculateRequestPrice({ api, request, onChange, changes }: Measured) {
  const invocations = 1 + changes;
  const database = calculatePrice(request) + calculatePrice(onChange);
  const requests = invocations * prices.invocation + (api === 'REST' ? prices.httpApi : 0);
  const compute = invocations * ASSUMED_SECONDS * prices.second;
  return { database, requests, compute, total: database + requests + compute };
}
