import { ASSUMED_SECONDS, prices } from '../../../infra/prices.ts';
import { ACCESS_LOG_BYTES } from './log-bytes.ts';
import type { Measured, Units } from './measurements.ts';

export const calculatePrice = ({ reads, writes }: Units): number => reads * prices.read + writes * prices.write;

/** USD per request. Assumes one invocation of `on-change` per change; busy streams share them. */
export function calculateRequestPrice({ api, request, onChange, changes, logBytes }: Measured) {
  const invocations = 1 + changes;
  const database = calculatePrice(request) + calculatePrice(onChange);
  const requests = invocations * prices.invocation + (api === 'REST' ? prices.httpApi : 0);
  const compute = invocations * ASSUMED_SECONDS * prices.second;
  const lines = logBytes + (api === 'REST' ? ACCESS_LOG_BYTES : 0);
  const logs = lines * prices.logByte;
  return { database, requests, compute, logs, total: database + requests + compute + logs };
}
