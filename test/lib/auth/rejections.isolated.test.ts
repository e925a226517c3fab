import { beforeAll, describe, expect, test, vi } from 'vitest';
import { createApiClients, FORBIDDEN, UNAUTHENTICATED } from './apis.ts';
import { elliptic, invalidTokens } from './invalid-tokens.ts';
import { AUDIENCE, newKey } from './issuer.ts';
import { issuer, service, startServiceBeforeAll } from './service-with-tokens.ts';

const apis = createApiClients(() => service.url);

beforeAll(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => {});
});
startServiceBeforeAll();
beforeAll(() => {
  issuer.published.unshift(elliptic);
});

describe.each(Object.values(apis))('$name', ({ name, read, write }) => {
  const unauthenticated = UNAUTHENTICATED[name as keyof typeof UNAUTHENTICATED];
  const forbidden = FORBIDDEN[name as keyof typeof FORBIDDEN];

  test('returns 401 without a token', async () => {
    expect(await read()).toMatchObject({ ...unauthenticated, challenge: 'Bearer' });
    expect(await write()).toMatchObject({ ...unauthenticated, challenge: 'Bearer' });
  });

  test('returns 401 for credentials that are not a token', async () => {
    expect(await read('Basic YWRhOnNlY3JldA==')).toMatchObject({ ...unauthenticated, challenge: 'Bearer' });
  });

  test.each(Object.entries(invalidTokens))('returns 401 for %s', async (_, [reason, create]) => {
    const answer = await write(`Bearer ${await create(issuer)}`);
    expect(answer).toMatchObject(unauthenticated);
    const [, described] =
      /^Bearer error="invalid_token", error_description="([^"\\]+)"$/.exec(`${answer.challenge}`) ?? [];
    expect(described).toMatch(reason);
  });

  test.each([
    ['a token without scopes', 'write', { scope: undefined }],
    ['a token for reading', 'write', { scope: 'users:read' }],
    ['a scope that only starts with the required one', 'write', { scope: 'users:write-none users:read' }],
    ['a token for writing', 'read', { scope: 'users:write' }],
  ] as const)('returns 403 for %s on a %s', async (_, action, claims) => {
    const answer = await { read, write }[action](`Bearer ${await issuer.sign(claims)}`);
    expect(answer).toMatchObject(forbidden);
    expect(answer.challenge).toBe(`Bearer error="insufficient_scope", scope="users:${action}"`);
  });

  test.each([
    ['a token for the audience', {}],
    ['a token for several audiences', { aud: ['another', AUDIENCE] }],
    ['a client_id if the token has no audience', { aud: undefined, client_id: AUDIENCE }],
    ['scopes as a list in scp', { scope: undefined, scp: ['users:write', 'users:read'] }],
    ['a scope in scope and another in scp', { scope: 'users:read', scp: ['users:write'] }],
    ['scopes as a string in scp', { scope: undefined, scp: 'users:write users:read' }],
  ])('accepts %s', async (_, claims) => {
    const token = await issuer.sign(claims);
    const answers = [await read(`Bearer ${token}`), await write(`bearer ${token}`)];
    expect(answers.map(({ status }) => Math.floor(status / 100))).toEqual([2, 2]);
    expect(answers[1]?.body).not.toHaveProperty('errors');
  });
});

test('GraphQL repeats the challenge in the body, as Function URLs rename WWW-Authenticate', async () => {
  const { challenge, body } = await apis.graphql.write(`Bearer ${await issuer.sign({ scope: 'users:read' })}`);
  expect(challenge).toContain('insufficient_scope');
  expect(body).toMatchObject({ errors: [{ extensions: { code: 'FORBIDDEN', challenge } }] });
  const unauthenticated = await apis.graphql.read();
  expect(unauthenticated.body).toMatchObject({ errors: [{ extensions: { challenge: 'Bearer' } }] });
});

test('a forbidden request changes nothing', async () => {
  const reader = `Bearer ${await issuer.sign()}`;
  const before = await apis.graphql.read(reader);
  for (const { write } of Object.values(apis)) await write(`Bearer ${await issuer.sign({ scope: 'users:read' })}`);
  expect(await apis.graphql.read(reader)).toEqual(before);
});

test('the log contains why a token was rejected, but never the token', async () => {
  const token = await issuer.sign({ aud: 'another' });
  await apis.graphql.read(`Bearer ${token}`);
  expect(console.warn).toHaveBeenLastCalledWith({ event: 'token-rejected', reason: 'Audience not allowed' });
  expect(JSON.stringify(vi.mocked(console.warn).mock.calls)).not.toContain(token.split('.')[1]);
});

test('the log contains no text from the token, which can be an email address', async () => {
  const address = 'ada@example.com';
  const key = issuer.published.at(-1);
  const encode = (text: string) => Buffer.from(text).toString('base64url');
  const header = encode('{"alg":"RS256","kid":"first"}');
  const tokens = [
    await issuer.sign({ iss: address }),
    await issuer.sign({ aud: address }),
    await issuer.sign({}, await newKey(address)),
    await issuer.sign({}, key, { crit: [address], [address]: 1 }).catch(() => ''),
    [encode(`{"alg":"${address}","kid":"first"}`), encode('{}'), 'x'].join('.'),
    [header, encode(`{"sub":"${address}`), 'x'].join('.'),
    [header, encode(address), 'x'].join('.'),
    address,
  ];
  for (const token of tokens) expect(await apis.graphql.read(`Bearer ${token}`)).toMatchObject(UNAUTHENTICATED.GraphQL);
  expect(JSON.stringify(vi.mocked(console.warn).mock.calls)).not.toContain(address);
});

test('text from the client cannot break out of the challenge', async () => {
  const token = await issuer.sign({}, await newKey('"\r\nset-cookie: a=b; "\\'));
  const { challenge } = await apis.rest.read(`Bearer ${token}`);
  expect(challenge).toMatch(/^Bearer error="invalid_token", error_description="[^"\\]+"$/);
});

test('both APIs return 503 while the issuer provides no keys', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {});
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3 * 60 * 60 * 1000 });
  issuer.isDown = true;
  const token = `Bearer ${await issuer.sign()}`;
  expect(await apis.rest.read(token)).toMatchObject({
    status: 503,
    retryAfter: '1',
    body: { message: 'Service Unavailable' },
  });
  expect(await apis.graphql.read(token)).toMatchObject({
    status: 503,
    retryAfter: '1',
    body: { errors: [{ extensions: { code: 'SERVICE_UNAVAILABLE' } }] },
  });
  issuer.isDown = false;
  vi.setSystemTime(Date.now() + 1_000);
  expect(await apis.rest.read(token)).toMatchObject({ status: 200 });
  expect(await apis.graphql.read(token)).toMatchObject({ status: 200 });
  vi.useRealTimers();
});
