import { expect, test } from 'vitest';
import { newKey } from './issuer.ts';
import { DISCOVERY, issuer, pass, renewIssuer, verify } from './issuer-of-each-test.ts';

renewIssuer();

test('an outage causes an error instead of a rejection, and is retried; unknown keys are then rejected', async () => {
  const token = await issuer.sign();
  issuer.isDown = true;
  await expect(verify(token)).rejects.toThrow('responds with 500');
  issuer.isDown = false;
  pass(1_000);
  expect(await verify(token)).toBe(true);
  expect(await verify(await issuer.sign({}, await newKey('unknown')))).toBe(false);
});

test.each([
  ['is down', () => ({ isDown: true })],
  ['publishes no key set', () => ({ documents: { '/keys': { keys: 'none' } } })],
  ['publishes an invalid key', () => ({ documents: { '/keys': { keys: [{ kid: 'second' }] } } })],
])('an issuer causes an error if it %s when a new key is looked up', async (_, createFault) => {
  await verify(await issuer.sign());
  const { isDown, documents } = issuer;
  issuer.published.push(await newKey('second'));
  Object.assign(issuer, createFault());
  const token = await issuer.sign();
  await expect(verify(token)).rejects.toThrow();
  Object.assign(issuer, { isDown, documents });
  pass(10_000);
  expect(await verify(token)).toBe(true);
});

test.each([
  [
    'a discovery document of another issuer',
    { [DISCOVERY]: { issuer: 'https://issuer.example', jwks_uri: 'https://issuer.example/keys' } },
    'names the issuer https://issuer.example',
  ],
  ['a discovery document without jwks_uri', { [DISCOVERY]: {} }, 'jwks_uri'],
  ['an invalid key set', { '/keys': { keys: 'none' } }, 'keys should be an array'],
])('an issuer is reported for %s', async (_, documents, reason) => {
  Object.assign(issuer.documents, documents);
  await expect(verify(await issuer.sign())).rejects.toThrow(reason);
});

test('an issuer is not contacted over http on a network', async () => {
  Object.assign(issuer.documents, { [DISCOVERY]: { issuer: issuer.url, jwks_uri: 'http://issuer.example/keys' } });
  await expect(verify(await issuer.sign())).rejects.toThrow('must use https or be on this machine');
});
