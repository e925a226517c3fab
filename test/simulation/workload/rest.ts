import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { createRestEvent } from '../../setup/event.ts';
import type { Api, Call, Outcome, SeenUser } from './calls.ts';

export type RestFunction = 'create-user' | 'get-user' | 'list-users' | 'replace-user' | 'update-user' | 'delete-user';

/** The event for a call, and the function that serves it. Posts are served by GraphQL only. */
export function toRestEvent(call: Call, api: Api): { name: RestFunction; event: APIGatewayProxyEventV2 } | undefined {
  const path = api === 'bare' ? '/v1/users' : '/api/users';
  switch (call.kind) {
    case 'create': {
      const { name, email, key } = call;
      const options = { headers: { 'idempotency-key': key }, body: { name, email } };
      return { name: 'create-user', event: createRestEvent('POST', path, options) };
    }
    case 'get':
      return { name: 'get-user', event: createRestEvent('GET', path, { id: call.id }) };
    case 'find':
      return { name: 'list-users', event: createRestEvent('GET', path, { query: { email: call.email } }) };
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
      return { name: 'list-users', event: createRestEvent('GET', path, { query: { q: call.text } }) };
    case 'list': {
      const { order } = call;
      const query = api === 'bare' ? { page: String(call.page), limit: String(call.limit), order } : { order };
      return { name: 'list-users', event: createRestEvent('GET', path, { query }) };
    }
    default:
      return undefined;
  }
}

const ifMatch = (version: number | undefined) => ({ 'if-match': version === undefined ? undefined : `"${version}"` });

const CODES = { 404: 'NOT_FOUND', 409: 'CONFLICT', 412: 'PRECONDITION_FAILED', 422: 'IDEMPOTENCY_KEY_REUSED' } as const;

/** Throws for an answer that the contract does not have. */
export function readRestResult(call: Call, api: Api, result: APIGatewayProxyStructuredResultV2): Outcome {
  const { statusCode = 0, body = '', headers = {} } = result;
  if (statusCode === 503) return { code: 'UNKNOWN', why: '503' };
  if (statusCode === 409 && body.includes('Other requests are changing')) return { code: 'UNKNOWN', why: '409, busy' };
  if (statusCode in CODES) return { code: CODES[statusCode as keyof typeof CODES] };
  if (statusCode === 204) return { code: 'OK' };
  if (statusCode !== 200 && statusCode !== 201) throw new Error(`${statusCode} ${body}`);
  const parsed = JSON.parse(body);
  const value = api === 'bare' ? parsed : parsed.data;
  // The bodies of the contract: one user, or a list of them.
  if (call.kind === 'find') return value[0] ? { code: 'OK', user: value[0] as SeenUser } : { code: 'NOT_FOUND' };
  if (call.kind === 'search') return { code: 'OK', matches: value as SeenUser[] };
  if (call.kind !== 'list') return { code: 'OK', user: { ...(value as SeenUser), version: readVersion(headers.etag) } };
  const ids = (value as SeenUser[]).map(({ id }) => id);
  if (api === 'enveloped') return { code: 'OK', list: { ids, start: 0, limit: 1000, order: call.order } };
  const { page, limit, order } = call;
  return {
    code: 'OK',
    list: { ids, start: (page - 1) * limit, limit, order, total: Number(headers['x-total-count']) },
  };
}

const readVersion = (etag: unknown) => Number(/\d+/.exec(String(etag))?.[0]);
