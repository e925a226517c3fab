import { inspect } from 'node:util';

const LEVELS = { debug: 'DEBUG', info: 'INFO', warn: 'WARN', error: 'ERROR' } as const;

/**
 * Writes what functions log in Lambda's JSON log format, one line per entry, to standard error.
 * https://docs.aws.amazon.com/lambda/latest/dg/nodejs-logging.html
 */
export function logAsLambda(): void {
  for (const [method, level] of Object.entries(LEVELS))
    Object.assign(console, {
      [method]: (...parts: unknown[]) => {
        const [first] = parts;
        const isRecord = parts.length === 1 && typeof first === 'object' && !(first instanceof Error);
        const message = isRecord ? first : formatParts(parts);
        process.stderr.write(`${JSON.stringify({ timestamp: new Date().toISOString(), level, message })}\n`);
      },
    });
}

const formatParts = (parts: unknown[]) =>
  parts.map((part) => (typeof part === 'string' ? part : inspect(part))).join(' ');
