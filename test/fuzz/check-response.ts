import type { FuzzRequest, FuzzResponse } from './request.ts';

/** The stated bounds of `lib/graphql/README.md`; a list of REST has at most 1000 users of at most 1.5 kB. */
const MAX_BYTES = { graphql: 5_100_000, rest: 1_500_000, error: 100_000 };
const MAX_UNITS = 10_000;

/** The capacity units that the request consumed, as the response itself says. */
export function readUnits({ headers }: FuzzResponse): number {
  const units = String(headers['server-timing']).matchAll(/(?<units>[\d.]+) [RW]CU/g);
  return [...units].reduce((sum, { groups }) => sum + Number(groups?.units), 0);
}

/** One sentence for each broken bound. */
export function checkResponse({ path, method }: FuzzRequest, response: FuzzResponse): string[] {
  const { status, headers, body, bytes } = response;
  const isGraphql = path.startsWith('/graphql');
  const maxBytes = status >= 400 ? MAX_BYTES.error : isGraphql ? MAX_BYTES.graphql : MAX_BYTES.rest;
  const isJson = String(headers['content-type']).includes('json');
  return [
    status >= 500 && `the status is ${status}: ${body.slice(0, 500)}`,
    bytes > maxBytes && `the response has ${bytes} bytes, more than ${maxBytes}`,
    readUnits(response) > MAX_UNITS && `the request consumed ${readUnits(response)} units, more than ${MAX_UNITS}`,
    isJson && method !== 'HEAD' && body !== '' && !isValidJson(body) && 'the response is not valid JSON',
    body.includes('INTERNAL_SERVER_ERROR') && 'the response has an internal error',
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
