import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { afterEach, expect, test, vi } from 'vitest';
import { toQuotaKey } from '../../../lib/auth/caller.ts';

const KEY = 'c3a41b70-c7a0-11f0-9a1b-0affd5c2e9f1';
process.env.PROXY_KEY = KEY;
afterEach(() => vi.unstubAllEnvs());

const [CLOUDFRONT, CLIENT, OTHER_CLIENT] = ['70.132.20.1', '192.0.2.1', '192.0.2.2'];

const identify = (sourceIp: string, headers: Record<string, string>) =>
  // The cast is safe, because toQuotaKey reads only these members.
  toQuotaKey({ headers, requestContext: { http: { sourceIp } } } as unknown as APIGatewayProxyEventV2, 'anonymous');

test.each([undefined, ''])('without CloudFront (PROXY_KEY=%s), a client cannot choose its address', (proxyKey) => {
  vi.stubEnv('PROXY_KEY', proxyKey);
  for (const headers of [{}, { 'x-proxy-key': '' }, { 'x-proxy-key': 'undefined' }])
    expect(identify(CLIENT, { ...headers, 'true-client-ip': OTHER_CLIENT })).toBe(identify(CLIENT, {}));
});

test('a client has the same quota with and without CloudFront', () => {
  const [one, other] = [CLIENT, OTHER_CLIENT].map((address) =>
    identify(CLOUDFRONT, { 'x-proxy-key': KEY, 'true-client-ip': address }),
  );
  expect(one).not.toBe(other);
  expect(one).toBe(identify(CLIENT, {}));
});

test.each<Record<string, string>>([
  { 'true-client-ip': OTHER_CLIENT },
  { 'true-client-ip': OTHER_CLIENT, 'x-proxy-key': 'guessed' },
  { 'true-client-ip': OTHER_CLIENT, 'x-proxy-key': '' },
  { 'x-forwarded-for': OTHER_CLIENT },
  { 'x-forwarded-for': OTHER_CLIENT, 'x-proxy-key': KEY },
])('a client cannot get another quota by sending %o', (headers) => {
  expect(identify(CLIENT, headers)).toBe(identify(CLIENT, {}));
});
