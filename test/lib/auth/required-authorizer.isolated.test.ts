import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createContext } from '../../../infra/local/runtime.ts';
import { operationNames, operations } from '../../../lib/rest/operations.ts';
import { createGraphqlEvent, createRestEvent } from '../../setup/event.ts';
import { newPerson } from '../../setup/test-data.ts';

afterEach(() => vi.unstubAllEnvs());

const iam = { iam: { accountId: '123456789012', userArn: 'arn:aws:iam::123456789012:user/ada' } };
const jwt = { jwt: { claims: { sub: 'ada' }, scopes: ['users:read', 'users:write'] } };
const claims = Buffer.from('{"scope":"users:read users:write"}').toString('base64url');
const lambda = { lambda: { sub: 'ada' } };

type Answer = { statusCode: number; body?: string };

async function invoke(name: string, event: APIGatewayProxyEventV2, authorizer: object | undefined): Promise<Answer> {
  const { handler } = await import(`../../../functions/${name}.ts`);
  Object.assign(event.requestContext, authorizer ? { authorizer } : {});
  return handler(event, createContext());
}

const ID = '01890000-0000-7000-8000-000000000000';

const rest = operationNames.map((name) => {
  const { method, path } = operations[name];
  const createEvent = () =>
    createRestEvent(method, '/v1/users', {
      // The gateway passes the token on, in addition to its claims.
      headers: { authorization: `Bearer e30.${claims}.signature` },
      id: path === '' ? undefined : ID,
      ...('body' in operations[name] ? { body: newPerson() } : {}),
    });
  return { name, createEvent };
});
const graphql = {
  name: 'graphql',
  createEvent: () => createGraphqlEvent('POST', { body: { query: '{ users { totalCount } }' } }),
};

const FORBIDDEN = { message: expect.stringMatching(/^The request must (be signed|have a token)$/) };

describe.each(rest)('$name', ({ name, createEvent }) => {
  test.each([
    ['iam', 'no authorizer', undefined],
    ['iam', 'the JWT authorizer', jwt],
    ['iam', 'a Lambda authorizer', lambda],
    ['jwt', 'no authorizer', undefined],
    ['jwt', 'IAM', iam],
  ])('deployed for %s, returns 403 for a request behind %s', async (required, _, authorizer) => {
    vi.stubEnv('REQUIRED_AUTHORIZER', required);
    const { statusCode, body = '' } = await invoke(name, createEvent(), authorizer);
    expect(statusCode).toBe(403);
    expect(JSON.parse(body)).toEqual(FORBIDDEN);
  });

  test.each([
    ['iam', iam],
    ['jwt', jwt],
    [undefined, undefined],
  ])('deployed for %s, accepts a request verified accordingly', async (required, authorizer) => {
    vi.stubEnv('REQUIRED_AUTHORIZER', required);
    const { statusCode } = await invoke(name, createEvent(), authorizer);
    expect([200, 201, 404]).toContain(statusCode);
  });
});

describe('GraphQL', () => {
  const { name, createEvent } = graphql;

  test.each([
    ['no authorizer', undefined],
    ['a Lambda authorizer', lambda],
  ])('deployed for iam, returns 403 for a request behind %s with any Accept header', async (_, authorizer) => {
    vi.stubEnv('REQUIRED_AUTHORIZER', 'iam');
    for (const accept of ['application/json', 'text/event-stream', 'image/png']) {
      const event = createEvent();
      event.headers.accept = accept;
      // AWS has not verified this bearer token.
      event.headers.authorization = 'Bearer e30.e30.e30';
      const { statusCode, body = '' } = await invoke(name, event, authorizer);
      expect(statusCode, accept).toBe(403);
      expect(JSON.parse(body)).toMatchObject({ errors: [{ extensions: { code: 'FORBIDDEN' } }] });
    }
  });

  test('deployed for iam, accepts a signed request', async () => {
    vi.stubEnv('REQUIRED_AUTHORIZER', 'iam');
    expect(await invoke(name, createEvent(), iam)).toMatchObject({ statusCode: 200 });
  });
});

test('an unknown value of REQUIRED_AUTHORIZER stops the function', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {});
  vi.stubEnv('REQUIRED_AUTHORIZER', 'IAM');
  expect(await invoke('get-user', createRestEvent('GET', '/v1/users', { id: ID }), iam)).toMatchObject({
    statusCode: 500,
  });
  expect(await invoke(graphql.name, graphql.createEvent(), iam)).toMatchObject({ statusCode: 500 });
});

test('a problem has the code FORBIDDEN for an unverified request', async () => {
  vi.stubEnv('REQUIRED_AUTHORIZER', 'iam');
  const headers = { accept: 'application/problem+json' };
  const { statusCode, body = '' } = await invoke(
    'get-user',
    createRestEvent('GET', '/v1/users', { id: ID, headers }),
    jwt,
  );
  expect([statusCode, JSON.parse(body).code]).toEqual([403, 'FORBIDDEN']);
});
