import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { call, FORBIDDEN, UNAUTHENTICATED } from './apis.ts';
import { issuer, service, startServiceBeforeAll } from './service-with-tokens.ts';

beforeAll(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => {});
});
startServiceBeforeAll();
afterEach(() => vi.unstubAllEnvs());

describe('a subscription', () => {
  const subscribe = (authorization?: string) => {
    const headers = { accept: 'text/event-stream' };
    const body = { query: 'subscription { userChanged { kind } }' };
    return call(`${service.url}/graphql`, authorization, { body, headers });
  };

  test('returns 401 without a token', async () => {
    expect(await subscribe()).toMatchObject({ ...UNAUTHENTICATED.GraphQL, challenge: 'Bearer' });
  });

  test('returns 401 for a token that has expired', async () => {
    const token = await issuer.sign({ exp: Math.floor(Date.now() / 1000) - 5 });
    expect(await subscribe(`Bearer ${token}`)).toMatchObject(UNAUTHENTICATED.GraphQL);
  });

  test('returns 403 without the scope users:read', async () => {
    const answer = await subscribe(`Bearer ${await issuer.sign({ scope: 'users:write' })}`);
    expect(answer).toMatchObject(FORBIDDEN.GraphQL);
    expect(answer.challenge).toContain('scope="users:read"');
  });

  test('is opened with the scope users:read', async () => {
    const client = new AbortController();
    const { status, headers } = await fetch(`${service.url}/graphql`, {
      method: 'POST',
      headers: {
        accept: 'text/event-stream',
        'content-type': 'application/json',
        authorization: `Bearer ${await issuer.sign({ scope: 'users:read' })}`,
      },
      body: JSON.stringify({ query: 'subscription { userChanged { kind } }' }),
      signal: client.signal,
    });
    client.abort();
    expect(status).toBe(200);
    expect(headers.get('content-type')).toContain('text/event-stream');
  });
});

test('the required scope depends only on the executed operation of the document', async () => {
  const query = 'query Read { users { totalCount } } mutation Write { deleteUser(input: { id: "x" }) { id } }';
  const authorization = `Bearer ${await issuer.sign({ scope: 'users:read' })}`;
  const run = (operationName: string) =>
    call(`${service.url}/graphql`, authorization, { body: { query, operationName } });
  expect(await run('Write')).toMatchObject(FORBIDDEN.GraphQL);
  expect(await run('Read')).toMatchObject({ status: 200 });
});

test('without a token, no error reveals the schema', async () => {
  for (const accept of ['application/json', 'text/event-stream'])
    for (const query of ['{ __schema { types { name } } }', '{ user', '{ usr }'])
      expect(await call(`${service.url}/graphql`, undefined, { body: { query }, headers: { accept } })).toMatchObject(
        UNAUTHENTICATED.GraphQL,
      );
});

test.each(['application/json', 'text/event-stream'])(
  'without a token, a request with Accept: %s is rejected before its body is parsed',
  async (accept) => {
    const headers = { accept, 'content-type': 'application/json' };
    const response = await fetch(`${service.url}/graphql`, { method: 'POST', headers, body: '[[[' });
    expect(response.status).toBe(401);
  },
);

test.each(['AUTH_ISSUER', 'AUTH_AUDIENCE'])('the function does not start if only %s is missing', async (name) => {
  vi.stubEnv(name, '');
  vi.resetModules();
  await expect(import('../../../lib/graphql/authenticate.ts')).rejects.toThrow('together or not at all');
});
