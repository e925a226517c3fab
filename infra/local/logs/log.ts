import { inspect } from 'node:util';
import { type Access, formatAccess, isWorthALine } from './access.ts';

const LEVELS = { debug: 'DEBUG', info: 'INFO', warn: 'WARN', error: 'ERROR' } as const;

/** Lines for people on a terminal; what Lambda would write elsewhere. Returns how to log a response of the gateway. */
export function setUpLogs(isTerminal: boolean = process.stderr.isTTY): (access: Access) => void {
  if (isTerminal) logForPeople();
  else logAsLambda();
  return (access) => {
    if (isTerminal && isWorthALine(access)) process.stderr.write(`${formatAccess(access)}\n`);
    // Functions log their own requests.
    if (!isTerminal && access.by === 'gateway') console.info({ event: 'gateway-response', ...access });
  };
}

/**
 * Writes what functions log in Lambda's JSON log format, one line per entry, to standard error.
 * https://docs.aws.amazon.com/lambda/latest/dg/nodejs-logging.html
 */
function logAsLambda(): void {
  replaceConsole((level, parts) => {
    const message = isRecord(parts) ? parts[0] : formatParts(parts);
    return JSON.stringify({ timestamp: new Date().toISOString(), level, message });
  });
}

/** Requests have a line of the gateway, which says more. */
function logForPeople(): void {
  replaceConsole((level, parts) => {
    const [record] = parts;
    if (!isRecord(parts)) return `${level} ${formatParts(parts)}`;
    const { event, ...details } = Object(record);
    return event === 'request' ? undefined : `${level} ${event ?? ''} ${inspect(details, { breakLength: 160 })}`;
  });
}

type Format = (level: string, parts: unknown[]) => string | undefined;

function replaceConsole(format: Format): void {
  for (const [method, level] of Object.entries(LEVELS))
    Object.assign(console, {
      [method]: (...parts: unknown[]) => {
        const line = format(level, parts);
        if (line !== undefined) process.stderr.write(`${line}\n`);
      },
    });
}

const isRecord = ([first, ...others]: unknown[]) =>
  others.length === 0 && typeof first === 'object' && !(first instanceof Error);

const formatParts = (parts: unknown[]) =>
  parts.map((part) => (typeof part === 'string' ? part : inspect(part))).join(' ');
