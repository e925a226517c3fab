import { once } from 'node:events';
import { request } from 'node:http';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { TokenVerifier } from '../../../lib/auth/tokens.ts';
import { AUDIENCE } from './issuer.ts';
import { issuer, service, startServiceBeforeAll } from './service-with-tokens.ts';

beforeAll(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => {});
});
startServiceBeforeAll();

const query = JSON.stringify({ query: '{ users { totalCount } }' });
const subscription = JSON.stringify({ query: 'subscription { userChanged { id } }' });

const APIS = {
  'enveloped REST': { method: 'GET', path: '/api/users' },
  'bare REST': { method: 'GET', path: '/v1/users' },
  GraphQL: { method: 'POST', path: '/graphql', body: query },
  subscriptions: { method: 'POST', path: '/graphql', body: subscription, accept: 'text/event-stream' },
};

describe.each(Object.entries(APIS))('%s', (_, { method, path, ...sent }) => {
  /** Uses `node:http`, because `fetch` would join the header lines. */
  async function send(authorization: string[]): Promise<number | undefined> {
    const { body, accept } = { accept: '*/*', body: undefined, ...sent };
    const headers = { accept, 'content-type': 'application/json' };
    const outgoing = request(service.url, { method, path, headers, agent: false });
    outgoing.setHeader('authorization', authorization);
    outgoing.end(body);
    const [response] = await once(outgoing, 'response');
    response.destroy();
    return response.statusCode;
  }

  test('accepts one Authorization header', async () => {
    expect(await send([`Bearer ${await issuer.sign()}`])).toBe(200);
  });

  test('returns 401 for two Authorization headers, in any order and even if they are equal', async () => {
    const token = `Bearer ${await issuer.sign()}`;
    for (const both of [
      [token, token],
      [token, 'Bearer x'],
      ['Bearer x', token],
      ['', token],
    ])
      expect(await send(both), both.join()).toBe(401);
  });
});

test('two Authorization headers that Lambda has joined are rejected', async () => {
  const verifier = new TokenVerifier({ issuer: issuer.url, audience: AUDIENCE });
  const token = `Bearer ${await issuer.sign()}`;
  for (const joined of [`${token},${token}`, `${token}, ${token}`, `,${token}`, `${token},`])
    expect(await verifier.verify(joined)).toEqual({ kind: 'rejected', reason: 'No bearer token', challenge: 'Bearer' });
  expect(await verifier.verify(token)).toHaveProperty('claims');
});
