import type { FuzzRequest, FuzzResponse } from './request.ts';

/** Limits of a response. GraphQL: from `lib/graphql/README.md`. REST: 1000 users of 2.5 kB. */
const MAX_BYTES = { graphql: 5_100_000, rest: 2_500_000, rejection: 4_096 };
/**
 * Maximum read and write units. `search`: 15 searches of 100 users, each reading 200 entries of 2.3 kB, at half a unit
 * per 4 kB.
 */
const MAX_UNITS = { items: 10_000, search: 900 };

export function readUnits({ headers }: FuzzResponse): number {
  const units = String(headers['server-timing']).matchAll(/(?<units>[\d.]+) [RW]CU/g);
  return [...units].reduce((sum, { groups }) => sum + Number(groups?.units), 0);
}

const REJECTION = /^\{"errors":.*\](,"data":null)?\}\s*$/s;

/** Excludes searches with posts, which would cost a unit or more per author. */
const isSearch = ({ body }: FuzzRequest) =>
  typeof body === 'string' && body.includes('search:') && !body.includes('posts');

export function checkResponse(request: FuzzRequest, response: FuzzResponse): string[] {
  const { path, method } = request;
  const { status, headers, body, bytes } = response;
  const isRejected = status >= 400 || REJECTION.test(body);
  const isGraphql = path.startsWith('/graphql');
  const maxBytes = isRejected ? MAX_BYTES.rejection : isGraphql ? MAX_BYTES.graphql : MAX_BYTES.rest;
  const maxUnits = isSearch(request) ? MAX_UNITS.search : MAX_UNITS.items;
  const isJson = String(headers['content-type']).includes('json');
  return [
    status >= 500 && `the status is ${status}: ${body.slice(0, 500)}`,
    bytes > maxBytes && `the response has ${bytes} bytes, more than ${maxBytes}`,
    readUnits(response) > maxUnits && `the request consumed ${readUnits(response)} units, more than ${maxUnits}`,
    isJson && method !== 'HEAD' && body !== '' && !isValidJson(body) && 'the response is not valid JSON',
    isGraphql && body.includes('INTERNAL_SERVER_ERROR') && 'the response has an internal error',
    /\n\s+at |node_modules/.test(body) && 'the response has a stack trace',
  ].filter((problem) => problem !== false);
}

function isValidJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
