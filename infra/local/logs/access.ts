import { ServerResponse } from 'node:http';
import { styleText } from 'node:util';

/** A response as it was sent. `used` is what it cost, `reason` what a client did wrong. */
export type Access = {
  by: 'function' | 'page' | 'gateway';
  method: string;
  path: string;
  status: number;
  ms: number;
  used?: string | undefined;
  reason?: string | undefined;
};

const MAX_BODY = 10_000;

/** Keeps the start of the body, which has the reason of an error. */
export class RecordedResponse extends ServerResponse {
  #body = '';

  override write(...args: unknown[]): boolean {
    this.#keep(args[0]);
    return super.write(...(args as Parameters<ServerResponse['write']>)); // The same, whichever overload it was.
  }

  override end(...args: unknown[]): this {
    this.#keep(args[0]);
    return super.end(...(args as Parameters<ServerResponse['end']>));
  }

  #keep(chunk: unknown): void {
    const isText = typeof chunk === 'string' || Buffer.isBuffer(chunk);
    if (isText && this.#body.length < MAX_BODY) this.#body += chunk.toString().slice(0, MAX_BODY);
  }

  /** The message of an error, in REST, GraphQL or of the gateway. */
  findReason(): string | undefined {
    // GraphQL answers 200 with errors.
    if (this.statusCode < 400 && !this.#body.startsWith('{"errors"')) return undefined;
    try {
      const { error, message, errors } = JSON.parse(this.#body);
      return error ?? message ?? errors?.[0]?.message;
    } catch {
      return undefined;
    }
  }
}

/** `db;desc="1 request, 0.5 RCU"` of Server-Timing. */
export const readUsage = (response: ServerResponse): string | undefined =>
  /db;desc="([^"]*)"/.exec(String(response.getHeader('server-timing')))?.[1];

/** The parts of a page, and the settings of the console, are of no interest while they come. */
export const isWorthALine = ({ path, status, by }: Access): boolean =>
  by !== 'page' || status >= 400 || !/^\/(pages\/|console\.json|favicon)/.test(path);

const UUID = /\b([0-9a-f]{4})[0-9a-f]{4}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** `PATCH /v1/users/01a1… 412 4 ms · 1 request · 1 WCU  The user has changed since the given version` */
export function formatAccess({ method, path, status, ms, used, reason }: Access): string {
  const color = status >= 500 ? 'red' : status >= 400 ? 'yellow' : status >= 300 ? 'cyan' : 'green';
  const duration = ms < 10_000 ? `${Math.round(ms)} ms` : `${Math.round(ms / 1000)} s`;
  const cost = used === undefined || used === '0 requests' ? [] : used.split(', ');
  const line = [`${duration}`, ...cost].join(' · ');
  const address = decodePath(path).replace(UUID, '$1…');
  return `${method} ${address} ${styleText(color, String(status), { stream: process.stderr })} ${line}${reason ? `  ${reason}` : ''}`;
}

/** As people typed it; control characters would act on the terminal. */
function decodePath(path: string): string {
  try {
    return decodeURI(path).replace(/\p{Cc}/gu, '\uFFFD');
  } catch {
    return path;
  }
}
