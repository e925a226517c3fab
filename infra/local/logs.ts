import { inspect, styleText } from 'node:util';
import type { ServedRequest } from './served-request.ts';

const LEVELS = { debug: 'DEBUG', info: 'INFO', warn: 'WARN', error: 'ERROR' } as const;

export function setUpLogs(isTerminal: boolean = process.stderr.isTTY): (served: ServedRequest) => void {
  if (isTerminal) logForPeople();
  else logAsLambda();
  return (served) => {
    if (isTerminal && shouldLog(served)) process.stderr.write(`${formatServedRequest(served)}\n`);
    if (!isTerminal && served.by === 'gateway') console.info({ event: 'gateway-response', ...served });
  };
}

/** One JSON line per entry, on standard error: https://docs.aws.amazon.com/lambda/latest/dg/nodejs-logging.html */
function logAsLambda(): void {
  replaceConsole((level, parts) => {
    const message = isRecord(parts) ? parts[0] : formatParts(parts);
    return JSON.stringify({ timestamp: new Date().toISOString(), level, message });
  });
}

function logForPeople(): void {
  replaceConsole((level, parts) => {
    if (!isRecord(parts)) return `${level} ${formatParts(parts)}`;
    const [{ event, ...details }] = parts;
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

function isRecord(parts: unknown[]): parts is [Record<string, unknown>] {
  const [first] = parts;
  return parts.length === 1 && typeof first === 'object' && first !== null && !(first instanceof Error);
}

const formatParts = (parts: unknown[]) =>
  parts.map((part) => (typeof part === 'string' ? part : inspect(part))).join(' ');

export const shouldLog = ({ path, status, by }: ServedRequest): boolean =>
  by !== 'page' || status >= 400 || !/^\/(pages\/|console\.json|favicon)/.test(path);

const UUID = /\b([0-9a-f]{4})[0-9a-f]{4}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/**
 * Returns a line such as `PATCH /v1/users/01a1… 412 4 ms · 1 request · 1 WCU  The user has changed since the given
 * version`.
 */
export function formatServedRequest({ method, path, operation, status, ms, used, reason }: ServedRequest): string {
  const color = status >= 500 ? 'red' : status >= 400 || reason ? 'yellow' : status >= 300 ? 'cyan' : 'green';
  const duration = ms < 10_000 ? `${Math.round(ms)} ms` : `${Math.round(ms / 1000)} s`;
  const cost = used === undefined || used === '0 requests' ? [] : used.split(', ');
  const line = [`${duration}`, ...cost].join(' · ');
  const address = decodePath(path).replace(UUID, '$1…');
  const request = [method, address, ...(operation ? [operation] : [])].join(' ');
  const shownStatus = styleText(color, String(status), { stream: process.stderr });
  return `${request} ${shownStatus} ${line}${reason ? `  ${removeControls(reason)}` : ''}`;
}

function decodePath(path: string): string {
  try {
    return removeControls(decodeURI(path));
  } catch {
    return path;
  }
}

const removeControls = (text: string) => text.replace(/\p{Cc}/gu, '\uFFFD');
