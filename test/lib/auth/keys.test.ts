import { exportJWK } from 'jose';
import { expect, test, vi } from 'vitest';
import { newKey } from './issuer.ts';
import { DISCOVERY, issuer, pass, renewIssuer, verify } from './issuer-of-each-test.ts';

renewIssuer();

test('keys are fetched once for any number of concurrent tokens', async () => {
  const tokens = await Promise.all(['a', 'b', 'c', 'd'].map((sub) => issuer.sign({ sub })));
  expect(await Promise.all(tokens.map(verify))).toEqual([true, true, true, true]);
  expect(await Promise.all(tokens.map(verify))).toEqual([true, true, true, true]);
  expect(issuer.requests).toEqual([DISCOVERY, '/keys']);
});

test('a token issued in this second is valid, one issued in the next is not', async () => {
  const seconds = Math.floor(Date.now() / 1000);
  vi.useFakeTimers({ toFake: ['Date'], now: seconds * 1000 });
  expect(await verify(await issuer.sign({ iat: seconds }))).toBe(true);
  expect(await verify(await issuer.sign({ iat: seconds + 1 }))).toBe(false);
});

test('nothing is fetched for a request without a token', async () => {
  expect(await verify('')).toBe(false);
  expect(issuer.requests).toEqual([]);
});

test('a new key is fetched by its id, and the old key stays valid', async () => {
  const old = await issuer.sign();
  await verify(old);
  issuer.published.push(await newKey('second'));
  expect(await verify(await issuer.sign())).toBe(true);
  expect(await verify(old)).toBe(true);
  expect(issuer.requests).toEqual([DISCOVERY, '/keys', '/keys']);
});

const signWithUnknownKeys = async () =>
  Promise.all(['x', 'y', 'z'].map(async (kid) => issuer.sign({}, await newKey(kid))));

test('unknown key ids are looked up once within 10 seconds', async () => {
  pass(0);
  await verify(await issuer.sign());
  const unknown = await signWithUnknownKeys();
  for (const token of unknown) expect(await verify(token)).toBe(false);
  expect(issuer.requests).toEqual([DISCOVERY, '/keys', '/keys']);
  expect(await verify(await issuer.sign())).toBe(true);
  pass(9_999);
  for (const token of unknown) await verify(token);
  expect(issuer.requests).toHaveLength(3);
  pass(1);
  for (const token of unknown) await verify(token);
  expect(issuer.requests).toEqual([DISCOVERY, '/keys', '/keys', '/keys']);
});

test('unknown key ids are looked up once within 10 seconds, also while the issuer fails', async () => {
  pass(0);
  const known = await issuer.sign();
  await verify(known);
  issuer.isDown = true;
  const unknown = await signWithUnknownKeys();
  for (const token of unknown) await expect(verify(token)).rejects.toThrow('responds with 500');
  pass(9_999);
  for (const token of unknown) await expect(verify(token)).rejects.toThrow('responds with 500');
  expect(issuer.requests).toEqual([DISCOVERY, '/keys', '/keys']);
  expect(await verify(known)).toBe(true);
  pass(1);
  await Promise.allSettled(unknown.map(verify));
  expect(issuer.requests).toEqual([DISCOVERY, '/keys', '/keys', '/keys']);
});

test('a failing issuer is asked once a second while there are no keys', async () => {
  pass(0);
  const token = await issuer.sign();
  issuer.isDown = true;
  for (const _ of ['first', 'second']) await expect(verify(token)).rejects.toThrow('responds with 500');
  pass(999);
  await expect(verify(token)).rejects.toThrow('responds with 500');
  expect(issuer.requests).toEqual([DISCOVERY]);
  pass(1);
  await expect(verify(token)).rejects.toThrow('responds with 500');
  expect(issuer.requests).toEqual([DISCOVERY, DISCOVERY]);
});

test('nothing is fetched for a string that is not a token', async () => {
  expect(await verify('secret')).toBe(false);
  expect(await verify(await issuer.sign({}, undefined, { kid: undefined }))).toBe(false);
  expect(issuer.requests).toEqual([]);
});

test('unknown key ids do not postpone the next discovery, which finds keys that have moved', async () => {
  pass(0);
  const [old] = issuer.published;
  await verify(await issuer.sign());
  const moved = await newKey('moved');
  const key = { ...(await exportJWK(moved.publicKey)), kid: 'moved', alg: moved.alg };
  const discovery = { issuer: issuer.url, jwks_uri: `${issuer.url}/moved` };
  Object.assign(issuer.documents, { [DISCOVERY]: discovery, '/moved': { keys: [key] } });
  for (const ms of [3_600_000, 3_595_000]) {
    pass(ms);
    expect(await verify(await issuer.sign({}, moved))).toBe(false);
  }
  pass(5_000);
  expect(await verify(await issuer.sign({}, moved))).toBe(true);
  expect(await verify(await issuer.sign({}, old))).toBe(false);
  expect(issuer.requests).toEqual([DISCOVERY, '/keys', '/keys', '/keys', DISCOVERY, '/moved', '/moved']);
});

const publish = (key: object) => Object.assign(issuer.documents, { '/keys': { keys: [{ kid: 'first', ...key }] } });
const POINT = Buffer.alloc(32, 1).toString('base64url');

test.each([
  ['a secret', { kty: 'oct', k: POINT }],
  ['an elliptic curve', { kty: 'EC', crv: 'P-256', x: POINT, y: POINT }],
  ['an Edwards curve', { kty: 'OKP', crv: 'Ed25519', x: POINT }],
  ['RSA without a modulus', { kty: 'RSA', e: 'AQAB' }],
  ['RSA with an unusable modulus', { kty: 'RSA', n: 'AA', e: 'AA' }],
  ['an unknown type', { kty: 'lattice' }],
  ['another use', { kty: 'RSA', use: 'enc', n: POINT, e: 'AQAB' }],
])('a token with the key id of a key of %s is rejected without an internal error', async (_, key) => {
  publish(key);
  expect(await verify(await issuer.sign())).toBe(false);
});

test.each(['ES256', 'EdDSA'])('a token of %s with the key id of an RSA key without alg is rejected', async (alg) => {
  const [rsa] = issuer.published;
  publish({ ...(rsa && (await exportJWK(rsa.publicKey))) });
  const other = await newKey('first', alg);
  expect(await verify(await issuer.sign({}, other))).toBe(false);
  expect(await verify(await issuer.sign({}, rsa))).toBe(true);
});

test('a withdrawn key is rejected after two hours, as by API Gateway', async () => {
  const [old] = issuer.published;
  await verify(await issuer.sign());
  issuer.published.splice(0, 1, await newKey('second'));
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * 60 * 60 * 1000 + 1 });
  expect(await verify(await issuer.sign({}, old))).toBe(false);
  expect(await verify(await issuer.sign())).toBe(true);
});
