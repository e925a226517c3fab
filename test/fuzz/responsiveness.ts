import { setTimeout } from 'node:timers/promises';
import type { FuzzRequest } from './request.ts';
import { send } from './send.ts';
import type { Service } from './service/service.ts';

export const MAX_WAIT_MS = 150;
const MAX_DOCUMENT_WAIT_MS = 500;

const getMaxWait = ({ path, body }: FuzzRequest) =>
  path.startsWith('/graphql') && (body !== undefined || path.includes('query=')) ? MAX_DOCUMENT_WAIT_MS : MAX_WAIT_MS;

const LIGHT: FuzzRequest = {
  method: 'POST',
  path: '/graphql',
  headers: { 'content-type': 'application/json' },
  body: '{"query":"{ __typename }"}',
};

const INTERVAL_MS = 20;

/**
 * Returns the longest wait for a light request, in ms. Counts at most the service's CPU time, to exclude other load.
 */
export async function measureWait(
  { url, readUsage }: Pick<Service, 'url' | 'readUsage'>,
  others: () => Promise<unknown>,
): Promise<number> {
  let { cpu } = await readUsage();
  let longest = 0;
  let isAnswered = false;
  const answered = others().then(() => {
    isAnswered = true;
  });
  while (!isAnswered) {
    const start = performance.now();
    await send(url, LIGHT);
    const usage = await readUsage(); // Part of the wait: the service answers this like a request.
    longest = Math.max(longest, Math.min(performance.now() - start, usage.cpu - cpu));
    cpu = usage.cpu;
    await Promise.race([answered, setTimeout(INTERVAL_MS)]);
  }
  return longest;
}

/** CPU time that measureSlowness takes on the reference machine. */
const REFERENCE_MS = 15;
const SAMPLE = JSON.stringify(Array.from({ length: 2_000 }, (_, n) => ({ id: String(n).repeat(6), n })));

/** Compares this machine with the reference machine. CPU time includes time taken by other VMs. */
function measureSlowness(): number {
  const start = process.cpuUsage();
  for (let times = 0; times < 40; times++) JSON.parse(SAMPLE);
  const { user, system } = process.cpuUsage(start);
  return Math.max(1, (user + system) / 1000 / REFERENCE_MS);
}

const ATTEMPTS = 3;

/** Finds requests that delay light ones at every attempt. A single delay may be a garbage collection. */
export async function findBlocking(
  requests: FuzzRequest[],
  measure: (request: FuzzRequest) => Promise<number>,
  slowness = measureSlowness,
): Promise<string[]> {
  const problems: string[] = [];
  for (const request of requests) {
    const maxWait = getMaxWait(request);
    let least = Number.POSITIVE_INFINITY;
    for (let attempt = 0; attempt < ATTEMPTS && least > maxWait; attempt++)
      least = Math.min(least, (await measure(request)) / slowness());
    if (least > maxWait)
      problems.push(`a light request waits ${least.toFixed(0)} ms for ${request.method} ${request.path.slice(0, 100)}`);
  }
  return problems;
}
