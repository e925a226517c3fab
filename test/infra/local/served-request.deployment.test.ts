import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { formatServedRequest, shouldLog } from '../../../infra/local/logs.ts';
import { describeOperation, describePath, type ServedRequest } from '../../../infra/local/served-request.ts';
import { MAX_LINEAR_GROWTH, measureGrowth } from '../../setup/cpu-growth.ts';
import { type LocalService, startLocalService } from '../../setup/local-service.ts';
import { startRecordingGateway } from './recording-gateway.ts';

const ID = '01a1fc2b-6afb-746d-b0f3-2c7678fa44ac';
const changed: ServedRequest = {
  by: 'function',
  method: 'PATCH',
  path: `/v1/users/${ID}`,
  status: 412,
  ms: 4.2,
  used: '1 request, 1 WCU',
  reason: 'The user has changed since the given version; read it again',
};

test.each([
  [
    changed,
    'PATCH /v1/users/01a1… 412 4 ms · 1 request · 1 WCU  The user has changed since the given version; read it again',
  ],
  [
    {
      by: 'function',
      method: 'GET',
      path: '/v1/users?q=Zo%C3%AB%1B',
      status: 200,
      ms: 12_345,
      used: '1 request, 0.5 RCU',
    },
    'GET /v1/users?q=Zoë\uFFFD 200 12 s · 1 request · 0.5 RCU',
  ],
  [
    {
      by: 'function',
      method: 'POST',
      path: '/graphql',
      operation: 'mutation CreateUser',
      status: 200,
      ms: 4,
      reason: 'name:\u001B[2J must be text',
    },
    'POST /graphql mutation CreateUser 200 4 ms  name:\uFFFD[2J must be text',
  ],
  [
    { by: 'gateway', method: 'GET', path: '/nowhere', status: 404, ms: 0.3, reason: 'Not Found' },
    'GET /nowhere 404 0 ms  Not Found',
  ],
] satisfies [ServedRequest, string][])('a response has a line on a terminal', (served, line) => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: removes colors, which lines have if standard error is a terminal.
  expect(formatServedRequest(served).replace(/\u001b\[\d+m/g, '')).toBe(line);
});

test('page files are logged only when they fail', () => {
  const page: ServedRequest = { by: 'page', method: 'GET', path: '/pages/console/main.js', status: 200, ms: 1 };
  expect([shouldLog(page), shouldLog({ ...page, status: 500 }), shouldLog({ ...page, path: '/docs' })]).toEqual([
    false,
    true,
    true,
  ]);
});

let service: LocalService;
let log = '';
beforeAll(async () => {
  service = await startLocalService(['--memory']);
  service.process.stderr?.on('data', (text) => (log += text));
});
afterAll(() => service.stop());

test("a pipe receives JSON: function logs as in Lambda, and the gateway's own responses", async () => {
  await fetch(`${service.url}/v1/users/${ID}`);
  await fetch(`${service.url}/nowhere`);
  await expect.poll(() => log.trim().split('\n').length).toBe(2);
  const [request, gateway] = log
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).message);
  expect(request).toMatchObject({ event: 'request', route: 'GET /v1/users/{id}', status: 404, readUnits: 1 });
  expect(gateway).toMatchObject({ event: 'gateway-response', path: '/nowhere', status: 404, reason: 'Not Found' });
});

const UUID_OF_SOMEONE = '0197c9a4-6afb-746d-b0f3-2c7678fa44ac';
/** A cursor with a word that a person has searched for. */
const SEARCH_CURSOR = Buffer.from(`ada\t${UUID_OF_SOMEONE}`).toString('base64url');

test.each([
  ['/v1/users?email=ada@example.org&limit=20', '/v1/users?email=…&limit=20'],
  ['/api/users?q=Ada%20King&order=desc&after=1', '/api/users?q=…&order=desc&after=1'],
  [`/api/users?after=${UUID_OF_SOMEONE}`, `/api/users?after=${UUID_OF_SOMEONE}`],
  [`/api/users?q=ada&after=${SEARCH_CURSOR}`, '/api/users?q=…&after=…'],
  ['/v1/users?after=ada@example.org&page=ada&limit=1a', '/v1/users?after=…&page=…&limit=…'],
  ['/v1/users?page=2&ada@example.org', '/v1/users?page=2&…'],
  ['/v1/users?ada%40example.org=1', '/v1/users?…=1'],
  ['/v1/users/ada@example.org', '/v1/users/…'],
  ['/api/users/Ada%20King/posts', '/api/users/…'],
  [`/v1/users/${ID}`, `/v1/users/${ID}`],
  ['/v1/user', '/v1/…'],
  ['/users/ada.lovelace', '/users/…'],
  ['/ada%40example.org/nowhere', '/…/…'],
  ['/ada%2540example.org', '/…'],
  ['/Ada%20King', '/…'],
  [
    '/graphql?query={userByEmail(email:"ada@example.org"){id}}&variables={"email":"ada@example.org"}',
    '/graphql?query=…&variables=…',
  ],
])('the log hides personal data in %s', async (url, path) => {
  const told: ServedRequest[] = [];
  const gateway = await startRecordingGateway({ onResponse: (served) => told.push(served) });
  // The log must hide the data of rejected requests, too: the gateway rejects the first because of its Host.
  await gateway.send('GET', url, { headers: { host: 'rebinding.example' } });
  await gateway.send('GET', url);
  await expect.poll(() => told.map(({ path }) => path)).toEqual([path, path]);
  gateway.stop();
});

test('describing a request takes linear time', () => {
  const describe = (url: string) => describePath({ url } as IncomingMessage, 'gateway');
  for (const part of ['a', '/', '@', '/@', '%40', '?', '&', '=', 'a&'])
    for (const start of ['/', '/v1/users/', '/v1/users?'])
      expect(measureGrowth((length) => describe(start + part.repeat(length / part.length)), 1_000)).toBeLessThan(
        MAX_LINEAR_GROWTH,
      );
});

test("each response is logged with its cost and an error's reason", async () => {
  const told: ServedRequest[] = [];
  const gateway = await startRecordingGateway({ onResponse: (served) => told.push(served) });
  gateway.record.result = {
    body: '{"errors":[{"message":"first: must be at most 100","extensions":{"code":"BAD_USER_INPUT","reason":"BAD_USER_INPUT"}}]}',
    headers: { 'server-timing': 'db;desc="1 request, 0.5 RCU", total;dur=2' },
  };
  await gateway.send('POST', '/graphql', { body: '{"query":"query Users { users(first: 101) { totalCount } }"}' });
  gateway.record.result = { statusCode: 404, body: '{"error":"User not found"}' };
  await gateway.send('GET', `/v1/users/${ID}`);
  await gateway.send('GET', '/nowhere');
  await expect.poll(() => told.length).toBe(3);
  expect(told).toMatchObject([
    {
      by: 'function',
      path: '/graphql',
      operation: 'query Users',
      status: 200,
      used: '1 request, 0.5 RCU',
      reason: 'first: must be at most 100',
    },
    { by: 'function', path: `/v1/users/${ID}`, status: 404, used: undefined, reason: 'User not found' },
    { by: 'gateway', path: '/nowhere', status: 404, used: undefined, reason: 'Not Found' },
  ]);
  gateway.stop();
});

const graphqlError = (message: string, code: string, reason?: string) =>
  ({ statusCode: 200, body: { errors: [{ message, extensions: { code, reason } }] } }) as const;

test.each([
  ['an error of the service', graphqlError('User not found', 'NOT_FOUND', 'NOT_FOUND'), 'User not found'],
  [
    'a message of graphql-js, which has the value of a variable',
    graphqlError('Variable "$name" got invalid value "ada@example.org"; Expected…', 'BAD_USER_INPUT'),
    'BAD_USER_INPUT',
  ],
  [
    'a message of graphql-js that was cut off',
    { statusCode: 200, body: { errors: Array(1000).fill(graphqlError('Unknown "ada@x.org"', 'GONE').body.errors[0]) } },
    'GONE',
  ],
  [
    'issues, some of unknown members',
    {
      statusCode: 400,
      body: {
        error: 'name: is required; ada@example.org; x: y: is not a known member',
        issues: [
          { path: ['name'], message: 'is required' },
          { path: ['tags', 3], message: 'must be a string' },
          { path: ['ada@example.org; x: y'], message: 'is not a known member' },
          { path: [], message: 'must be an object' },
        ],
      },
    },
    'name: is required; tags.3: must be a string; …: is not a known member; input: must be an object',
  ],
])('the log shows the reason of an error without input values: %s', async (_, { statusCode, body }, reason) => {
  const told: ServedRequest[] = [];
  const gateway = await startRecordingGateway({ onResponse: (served) => told.push(served) });
  gateway.record.result = { statusCode, body: JSON.stringify(body) };
  await gateway.send('POST', '/graphql');
  await expect.poll(() => told.map(({ reason }) => reason)).toEqual([reason]);
  gateway.stop();
});

test.each([
  [{ query: '# users\nquery Users { users { totalCount } }' }, 'query Users'],
  [{ query: '{ users { totalCount } }' }, 'query'],
  [{ query: 'query A { __typename } mutation B { __typename }', operationName: 'B' }, 'mutation B'],
  [{ query: 'query Users { __typename }', operationName: '' }, 'query Users'],
  [{ query: 'subscription Changes { userChanged { id } }' }, 'subscription Changes'],
  [{ query: '{ unfinished' }, undefined],
  [{ query: '{ a '.repeat(20_000) }, undefined],
  [{ query: `{ ${'a '.repeat(100_000)} }` }, undefined],
  [[], undefined],
  [null, undefined],
])('the log names the operation of a GraphQL request: %#', (body, operation) => {
  expect(describeOperation(Buffer.from(JSON.stringify(body)))).toBe(operation);
});
