import { ServerResponse } from 'node:http';
import { styleText } from 'node:util';

/** A response as it was sent. `path` has nothing personal, `used` is what it cost, `reason` what a client did wrong, `operation` that of GraphQL. */
export type Access = {
  by: 'function' | 'page' | 'gateway';
  method: string;
  path: string;
  operation?: string | undefined;
  status: number;
  ms: number;
  used?: string | undefined;
  reason?: string | undefined;
};

const MAX_BODY = 10_000;

/** Keeps the start of the body, which has the reason of an error. */
export class RecordedResponse extends ServerResponse {
  /** The operation of a GraphQL request, such as `mutation CreateUser`. */
  operation: string | undefined;
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
      return findFirstMessage(this.#body);
    }
  }
}

/** Of a body that is longer than what was kept. */
function findFirstMessage(body: string): string | undefined {
  const [, message] = /"message":("(?:[^"\\]|\\.)*")/.exec(body) ?? [];
  return message && JSON.parse(message);
}

/** `db;desc="1 request, 0.5 RCU"` of Server-Timing. */
export const readUsage = (response: ServerResponse): string | undefined =>
  /db;desc="([^"]*)"/.exec(String(response.getHeader('server-timing')))?.[1];

/** The parts of a page, and the settings of the console, are of no interest while they come. */
export const isWorthALine = ({ path, status, by }: Access): boolean =>
  by !== 'page' || status >= 400 || !/^\/(pages\/|console\.json|favicon)/.test(path);

const UUID = /\b([0-9a-f]{4})[0-9a-f]{4}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** `PATCH /v1/users/01a1… 412 4 ms · 1 request · 1 WCU  The user has changed since the given version` */
export function formatAccess({ method, path, operation, status, ms, used, reason }: Access): string {
  const color = status >= 500 ? 'red' : status >= 400 || reason ? 'yellow' : status >= 300 ? 'cyan' : 'green';
  const duration = ms < 10_000 ? `${Math.round(ms)} ms` : `${Math.round(ms / 1000)} s`;
  const cost = used === undefined || used === '0 requests' ? [] : used.split(', ');
  const line = [`${duration}`, ...cost].join(' · ');
  const address = decodePath(path).replace(UUID, '$1…');
  const request = [method, address, ...(operation ? [operation] : [])].join(' ');
  const shownStatus = styleText(color, String(status), { stream: process.stderr });
  return `${request} ${shownStatus} ${line}${reason ? `  ${removeControls(reason)}` : ''}`;
}

/** As people typed it. */
function decodePath(path: string): string {
  try {
    return removeControls(decodeURI(path));
  } catch {
    return path;
  }
}

/** They would act on the terminal. */
const removeControls = (text: string) => text.replace(/\p{Cc}/gu, '\uFFFD');
