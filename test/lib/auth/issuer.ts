import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose';

export const AUDIENCE = 'user-management';

export type Issuer = Awaited<ReturnType<typeof startIssuer>>;
type Key = { kid: string; alg: string; publicKey: CryptoKey; privateKey: CryptoKey };

export async function newKey(kid: string, alg = 'RS256'): Promise<Key> {
  return { kid, alg, ...(await generateKeyPair(alg, { extractable: true })) };
}

/** Shared by the issuers of a test file, because an RSA key takes 0.1 s. */
const firstKey = newKey('first');

export async function startIssuer() {
  const published = [await firstKey];
  const requests: string[] = [];
  const issuer = { url: '', requests, published, isDown: false, documents: {} as Record<string, unknown>, sign, stop };
  const server = createServer(async ({ url = '' }, response) => {
    requests.push(url);
    if (issuer.isDown) return response.writeHead(500).end();
    const keys = published.map(async ({ kid, alg, publicKey }) => ({ ...(await exportJWK(publicKey)), kid, alg }));
    const documents: Record<string, unknown> = {
      '/.well-known/openid-configuration': { issuer: issuer.url, jwks_uri: `${issuer.url}/keys` },
      '/keys': { keys: await Promise.all(keys) },
      ...issuer.documents,
    };
    const document = documents[url];
    response.writeHead(document ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(document));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  issuer.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return issuer;

  /** A claim that is undefined in `claims` removes the default claim. */
  async function sign(claims: object = {}, key = published.at(-1), header: object = {}): Promise<string> {
    if (!key) throw new Error('No key to sign with');
    const now = Math.floor(Date.now() / 1000);
    const valid = { iss: issuer.url, aud: AUDIENCE, sub: 'ada', scope: 'users:read users:write', iat: now };
    // Valid for an hour, because a slow machine may use the token minutes later.
    return new SignJWT({ ...valid, exp: now + 3600, ...claims })
      .setProtectedHeader({ alg: key.alg, kid: key.kid, ...header })
      .sign(key.privateKey, { crit: { extension: true } });
  }

  async function stop() {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
}
