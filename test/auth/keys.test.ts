import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createTokenVerifier } from '../../lib/auth/tokens.ts';
import { AUDIENCE, type Issuer, newKey, startIssuer } from './issuer.ts';

let issuer: Issuer;
let verify: (token: string) => Promise<boolean>;
const DISCOVERY = '/.well-known/openid-configuration';

beforeEach(async () => {
  issuer = await startIssuer();
  const verifyToken = createTokenVerifier({ issuer: issuer.url, audience: AUDIENCE });
  verify = async (token) => 'claims' in (await verifyToken(`Bearer ${token}`));
});
afterEach(async () => {
  vi.useRealTimers();
  await issuer.stop();
});

test('keys are fetched once, for however many tokens at a time', async () => {
  const tokens = await Promise.all(['a', 'b', 'c', 'd'].map((sub) => issuer.sign({ sub })));
  expect(await Promise.all(tokens.map(verify))).toEqual([true, true, true, true]);
  expect(await Promise.all(tokens.map(verify))).toEqual([true, true, true, true]);
  expect(issuer.asked).toEqual([DISCOVERY, '/keys']);
});

test('without a token nothing is fetched', async () => {
  expect(await verify('')).toBe(false);
  expect(issuer.asked).toEqual([]);
});

test('a new key is found by its id, and the old one still serves', async () => {
  const old = await issuer.sign();
  await verify(old);
  issuer.published.push(await newKey('second'));
  expect(await verify(await issuer.sign())).toBe(true);
  expect(await verify(old)).toBe(true);
  expect(issuer.asked).toEqual([DISCOVERY, '/keys', '/keys']);
});

test('key ids that nobody knows do not make a flood of requests', async () => {
  await verify(await issuer.sign());
  for (const kid of ['x', 'y', 'z']) expect(await verify(await issuer.sign({}, await newKey(kid)))).toBe(false);
  expect(issuer.asked).toEqual([DISCOVERY, '/keys', '/keys']);
  expect(await verify(await issuer.sign())).toBe(true);
});

test('a withdrawn key is refused after two hours, as by API Gateway', async () => {
  const [old] = issuer.published;
  await verify(await issuer.sign());
  issuer.published.splice(0, 1, await newKey('second'));
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * 60 * 60 * 1000 + 1 });
  expect(await verify(await issuer.sign({}, old))).toBe(false);
  expect(await verify(await issuer.sign())).toBe(true);
});

describe('an issuer that gives no keys', () => {
  test('makes an error, not a refusal, and is asked again', async () => {
    const token = await issuer.sign();
    issuer.isDown = true;
    await expect(verify(token)).rejects.toThrow('answers 500');
    issuer.isDown = false;
    expect(await verify(token)).toBe(true);
  });

  test.each([
    ['is down', () => ({ isDown: true })],
    ['publishes none', () => ({ documents: { '/keys': { keys: 'none' } } })],
    ['publishes what is no key', () => ({ documents: { '/keys': { keys: [{ kid: 'second' }] } } })],
  ])('makes an error where it %s when a new key is looked for', async (_, fault) => {
    await verify(await issuer.sign());
    const { isDown, documents } = issuer;
    issuer.published.push(await newKey('second'));
    Object.assign(issuer, fault());
    const token = await issuer.sign();
    await expect(verify(token)).rejects.toThrow();
    Object.assign(issuer, { isDown, documents });
    expect(await verify(token)).toBe(true);
  });

  test.each([
    [
      'a discovery document of another issuer',
      { [DISCOVERY]: { issuer: 'https://issuer.example', jwks_uri: 'https://issuer.example/keys' } },
      'is about the issuer https://issuer.example',
    ],
    ['no place for its keys', { [DISCOVERY]: {} }, 'jwks_uri'],
    ['keys that are none', { '/keys': { keys: 'none' } }, 'keys should be an array'],
  ])('is told by %s', async (_, documents, reason) => {
    Object.assign(issuer.documents, documents);
    await expect(verify(await issuer.sign())).rejects.toThrow(reason);
  });

  test('is not asked in clear text across a network', async () => {
    Object.assign(issuer.documents, { [DISCOVERY]: { issuer: issuer.url, jwks_uri: 'http://issuer.example/keys' } });
    await expect(verify(await issuer.sign())).rejects.toThrow('neither https nor on this machine');
  });
});
