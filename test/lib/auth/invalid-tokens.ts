import { exportSPKI, SignJWT, UnsecuredJWT } from 'jose';
import { expect } from 'vitest';
import { AUDIENCE, type Issuer, newKey } from './issuer.ts';

const now = () => Math.floor(Date.now() / 1000);
const validClaims = (issuer: Issuer) => ({
  iss: issuer.url,
  aud: AUDIENCE,
  sub: 'ada',
  scope: 'users:read users:write',
});
const findKey = (issuer: Issuer, kid: string) =>
  issuer.published.find((key) => key.kid === kid) ?? expect.fail(`no key ${kid}`);
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** An invalid key, because API Gateway accepts only RSA. Tests must publish it. */
export const elliptic = await newKey('elliptic', 'ES256');

/** Invalid tokens, each with the reason that WWW-Authenticate gives. */
export const invalidTokens: Record<string, [reason: RegExp, create: (issuer: Issuer) => Promise<string> | string]> = {
  'a token that has expired': [/expired at/, (issuer) => issuer.sign({ exp: now() - 5 })],
  'a token that never expires': [/does not expire/, (issuer) => issuer.sign({ exp: undefined })],
  'a token that is not valid yet': [/can't be used before/, (issuer) => issuer.sign({ nbf: now() + 300 })],
  'a token issued in the future': [/issued in the future/, (issuer) => issuer.sign({ iat: now() + 300 })],
  'a token of another issuer': [/Issuer not allowed/, (issuer) => issuer.sign({ iss: 'https://issuer.example' })],
  'a token without issuer': [/Missing Issuer/, (issuer) => issuer.sign({ iss: undefined })],
  'a token for another audience': [/Audience/, (issuer) => issuer.sign({ aud: 'another' })],
  'a token for another audience with the right client_id': [
    /Audience/,
    (issuer) => issuer.sign({ aud: 'another', client_id: AUDIENCE }),
  ],
  'a token for another client_id without audience': [
    /Audience/,
    (issuer) => issuer.sign({ aud: undefined, client_id: 'another' }),
  ],
  'a token without audience and client_id': [/Audience/, (issuer) => issuer.sign({ aud: undefined })],
  'a token with a list in scope': [/scope/, (issuer) => issuer.sign({ scope: ['users:read', 'users:write'] })],
  'a token without a key id': [/kid/, (issuer) => issuer.sign({}, undefined, { kid: undefined })],
  'a token with an unknown key id': [/not found/, async (issuer) => issuer.sign({}, await newKey('unknown'))],
  "a token signed by another key under the issuer's key id": [
    /Invalid signature/,
    async (issuer) => issuer.sign({}, await newKey('first')),
  ],
  'a token with an algorithm that API Gateway does not accept': [
    /Algorithm not allowed: ES256/,
    (issuer) => issuer.sign({}, elliptic),
  ],
  'a token with a critical extension': [
    /extensions/,
    (issuer) => issuer.sign({}, undefined, { crit: ['extension'], extension: 1 }),
  ],
  'an unsigned token (alg: none)': [
    /3 parts/,
    (issuer) => new UnsecuredJWT(validClaims(issuer)).setIssuedAt().setExpirationTime('5m').encode(),
  ],
  'a signed token whose header says alg: none': [
    /algorithm not allowed: none/,
    async (issuer) => [encode({ alg: 'none', kid: 'first' }), ...(await issuer.sign()).split('.').slice(1)].join('.'),
  ],
  'a token signed with the public key as an HMAC secret (HS256)': [
    /algorithm not allowed: HS256/,
    async (issuer) =>
      new SignJWT(validClaims(issuer))
        .setProtectedHeader({ alg: 'HS256', kid: 'first' })
        .setExpirationTime('5m')
        .sign(new TextEncoder().encode(await exportSPKI(findKey(issuer, 'first').publicKey))),
  ],
  'a token whose claims were changed': [
    /Invalid signature/,
    async (issuer) => {
      const [header, payload = '', signature] = (await issuer.sign({ scope: 'users:read' })).split('.');
      const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
      return `${header}.${encode({ ...claims, scope: 'users:read users:write' })}.${signature}`;
    },
  ],
  'a token without its signature': [
    /3 parts/,
    async (issuer) => (await issuer.sign()).split('.').slice(0, 2).join('.'),
  ],
  'a string that is not a token': [/3 parts/, () => 'secret'],
};
