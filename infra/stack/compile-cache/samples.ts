import { createStreamEvent, USER_ID } from './test-data.ts';

type SampleRequest = { path: string; method?: string; headers?: Record<string, string>; body?: string };

const headers = { 'content-type': 'application/json' };
const person = { name: 'Ada Lovelace', email: 'ada@example.org' };

const write = (method: string, path: string, body: object): SampleRequest => ({
  path,
  method,
  headers,
  body: JSON.stringify(body),
});

const user = `/v1/users/${USER_ID}`;

/** A request for each function that has an API. */
export const sampleRequests: Record<string, SampleRequest> = {
  'list-users': { path: '/v1/users?page=1&limit=20' },
  'get-user': { path: user },
  'create-user': write('POST', '/v1/users', person),
  'replace-user': write('PUT', user, person),
  'update-user': write('PATCH', user, { name: 'Ada King' }),
  'delete-user': { path: user, method: 'DELETE' },
  graphql: write('POST', '/graphql', { query: `{ user(id: "${USER_ID}") { id name email } }` }),
};

export const sampleEvents: Record<string, unknown> = { 'on-change': createStreamEvent(), 'index-pages': {} };
