import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { createRestEvent } from '../../setup/event.ts';
import { SMALL_SIZES } from '../options.ts';
import type { Api, Call, Outcome, Page, SeenUser } from './calls.ts';

export type RestFunction = 'create-user' | 'get-user' | 'list-users' | 'replace-user' | 'update-user' | 'delete-user';
type RestRequest = { name: RestFunction; event: APIGatewayProxyEventV2 };

const paths = { bare: '/v1/users', enveloped: '/api/users' };

/** The event for a call, or for the page after it, and the function that serves it. Posts are served by GraphQL only. */
export function toRestEvent(call: Call, api: Api, next?: Page['next']): RestRequest | undefined {
  const path = api === 'bare' ? paths.bare : paths.enveloped;
  const list = (query: Record<string, string>): RestRequest => ({
    name: 'list-users',
    event: createRestEvent('GET', path, { query: next ?? query }),
  });
  const limit = (count: number): Record<string, string> => (api === 'bare' ? { limit: String(count) } : {});
  switch (call.kind) {
    case 'create': {
      const { name, email, key, caller } = call;
      const options = { headers: { 'idempotency-key': key }, body: { name, email }, ...(caller ? { caller } : {}) };
      return { name: 'create-user', event: createRestEvent('POST', path, options) };
    }
    case 'get':
      return { name: 'get-user', event: createRestEvent('GET', path, { id: call.id }) };
    case 'find':
      return list({ email: call.email });
    case 'update': {
      const { id, name, email, ifVersion } = call;
      const options = { id, headers: ifMatch(ifVersion), body: { name, email } };
      if (name !== undefined && email !== undefined)
        return { name: 'replace-user', event: createRestEvent('PUT', path, options) };
      return { name: 'update-user', event: createRestEvent('PATCH', path, options) };
    }
    case 'delete': {
      const { id, ifVersion } = call;
      return { name: 'delete-user', event: createRestEvent('DELETE', path, { id, headers: ifMatch(ifVersion) }) };
    }
    case 'search':
      return list({ q: call.text, ...limit(call.limit) });
    case 'walk':
      return list({ order: call.order, ...limit(call.limit) });
    case 'list':
      return list({
        order: call.order,
        ...limit(call.limit),
        ...(api === 'bare' ? { page: String(call.page) } : {}),
      });
    default:
      return undefined;
  }
}

const ifMatch = (version: number | undefined) => ({ 'if-match': version === undefined ? undefined : `"${version}"` });

const CODES = { 404: 'NOT_FOUND', 409: 'CONFLICT', 412: 'PRECONDITION_FAILED', 422: 'IDEMPOTENCY_KEY_REUSED' } as const;

/** Throws for an answer that the contract does not have. */
export function readRestResult(call: Call, api: Api, result: APIGatewayProxyStructuredResultV2): Page {
  const { statusCode = 0, body = '', headers = {} } = result;
  const failed = readFailure(statusCode, body);
  if (failed) return { outcome: failed };
  if (statusCode === 204) return { outcome: { code: 'OK' } };
  const parsed = JSON.parse(body);
  const value = api === 'bare' ? parsed : parsed.data;
  if (statusCode === 201) {
    const location = `${api === 'bare' ? paths.bare : paths.enveloped}/${value.id}`;
    if (headers.location !== location) throw new Error(`Location is ${headers.location}, not ${location}`);
  }
  if (!Array.isArray(value)) {
    // The body of the contract: one user.
    return { outcome: { code: 'OK', user: { ...(value as SeenUser), version: readVersion(headers.etag) } } };
  }
  const users = value as SeenUser[];
  if (api === 'enveloped' && parsed.meta.total !== users.length) throw new Error(`meta.total is ${parsed.meta.total}`);
  const next = readNextLink(String(headers.link ?? ''));
  if (call.kind === 'search') return { outcome: { code: 'OK', matches: users }, next };
  if (call.kind === 'walk')
    return { outcome: { code: 'OK', list: { users, start: 0, limit: call.limit, order: call.order } }, next };
  if (call.kind === 'list') return { outcome: readList(call, api, users, headers['x-total-count']) };
  return { outcome: users[0] ? { code: 'OK', user: users[0] } : { code: 'NOT_FOUND' } };
}

function readFailure(statusCode: number, body: string): Outcome | undefined {
  if (statusCode === 503) return { code: 'UNKNOWN', why: '503' };
  if (statusCode === 409 && body.includes('Other requests are changing')) return { code: 'UNKNOWN', why: '409, busy' };
  if (statusCode in CODES) return { code: CODES[statusCode as keyof typeof CODES] };
  if (statusCode < 200 || statusCode > 204) throw new Error(`${statusCode} ${body}`);
  return undefined;
}

function readList(call: Extract<Call, { kind: 'list' }>, api: Api, users: SeenUser[], total: unknown): Outcome {
  const { page, limit, order } = call;
  if (api === 'enveloped') return { code: 'OK', list: { users, start: 0, limit: SMALL_SIZES.list, order } };
  return { code: 'OK', list: { users, start: (page - 1) * limit, limit, order, total: Number(total) } };
}

/** RFC 8288 */
function readNextLink(link: string): Page['next'] {
  const query = /<[^>?]*\?([^>]*)>; rel="next"/.exec(link)?.[1];
  return query === undefined ? undefined : Object.fromEntries(new URLSearchParams(query));
}

const readVersion = (etag: unknown) => Number(/\d+/.exec(String(etag))?.[0]);
