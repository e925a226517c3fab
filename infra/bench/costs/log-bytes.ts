import { ASSUMED_SECONDS } from '../../bill/prices.ts';
import type { ACCESS_LOG_FIELDS } from '../../construct/rest-api.ts';

const TIME = '2026-01-31T12:00:00.000Z';
const REQUEST_ID = '79b4f56e-95b1-4643-9700-2807f4e68189';

const ACCESS_LOG_VALUES: Record<keyof typeof ACCESS_LOG_FIELDS, string> = {
  time: '31/Jan/2026:12:00:00 +0000',
  requestId: 'AbCdEfGhIjKlMnO=',
  route: 'GET /v1/users/{id}',
  status: '200',
  latency: '23',
  functionLatency: '21',
  lambdaStatus: '200',
  sourceIp: '203.0.113.10',
  error: '-',
  authorizerError: '-',
  functionError: '-',
};

const countBytes = (lines: object[]) => lines.reduce((sum, line) => sum + Buffer.byteLength(JSON.stringify(line)), 0);

export const ACCESS_LOG_BYTES = countBytes([ACCESS_LOG_VALUES]);

const LEVELS = ['info', 'warn', 'error'] as const;

/**
 * Counts bytes as in Lambda, which adds time, level and request id to `console` messages, but nothing to metrics on
 * stdout.
 */
export async function countLogBytes(run: () => Promise<unknown>): Promise<number> {
  let bytes = 0;
  const { info, warn, error } = console;
  const write = process.stdout.write;
  for (const level of LEVELS)
    console[level] = (message: object) => {
      bytes += countBytes([
        { timestamp: TIME, level: level.toUpperCase(), requestId: REQUEST_ID, message: fixDuration(message) },
      ]);
    };
  process.stdout.write = (text: string | Uint8Array) => {
    bytes += Buffer.byteLength(text);
    return true;
  };
  try {
    await run();
    return bytes;
  } finally {
    Object.assign(console, { info, warn, error });
    process.stdout.write = write;
  }
}

const fixDuration = (message: object) => ('ms' in message ? { ...message, ms: ASSUMED_SECONDS * 1000 } : message);
