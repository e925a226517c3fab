import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { type Claims, insufficientScope, readScopes } from '../../lib/auth/caller.ts';
import { type TokenSettings, TokenVerifier } from '../../lib/auth/tokens.ts';
import { environment } from '../../lib/environment.ts';
import type { Operation } from '../../lib/rest/operation.ts';

export type Issuer = { tokens: TokenSettings; stop(): Promise<void> };

const AUDIENCE = 'users';
const ALGORITHM = 'RS256';
const KEY_ID = 'local';
const LIFETIME_SECONDS = 8 * 3600;

/**
 * Gives a token to every client on this machine, without credentials. Discovery:
 * https://openid.net/specs/openid-connect-discovery-1_0.html. Tokens: RFC 6749 section 4.4.
 */
export async function startIssuer(port: number): Promise<Issuer> {
  const { publicKey, privateKey } = await generateKeyPair(ALGORITHM);
  const key = { ...(await exportJWK(publicKey)), kid: KEY_ID, alg: ALGORITHM, use: 'sig' };
  const server = createServer((request, response) => {
    const answer = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    respond(request).then(
      (body) => answer(body ? 200 : 404, body ?? { message: 'Not Found' }),
      () => answer(500, { message: 'Internal Server Error' }),
    );
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening').catch((error: Error) => {
    throw new Error(`The issuer of --auth cannot listen on port ${port}: ${error.message}`);
  });
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // A TCP server's address is an AddressInfo.

  async function respond(request: IncomingMessage): Promise<object | undefined> {
    switch (`${request.method} ${request.url}`) {
      case 'GET /.well-known/openid-configuration':
        return { issuer, jwks_uri: `${issuer}/jwks.json`, token_endpoint: `${issuer}/token` };
      case 'GET /jwks.json':
        return { keys: [key] };
      case 'POST /token':
        // Browsers send Origin with every POST, so no website can fetch a token.
        return request.headers.origin === undefined ? issueToken(new URLSearchParams(await text(request))) : undefined;
      default:
        return undefined;
    }
  }

  async function issueToken(form: URLSearchParams): Promise<object> {
    const scope = form.get('scope') ?? '';
    const claims = { ...readClaims(form), scope, client_id: 'local', token_use: 'access' };
    const token = await new SignJWT({ auth_time: Math.floor(environment.now() / 1000), ...claims })
      .setProtectedHeader({ alg: ALGORITHM, kid: KEY_ID, typ: 'at+jwt' })
      .setIssuer(issuer)
      .setAudience(AUDIENCE)
      .setSubject(form.get('sub') ?? 'developer')
      .setIssuedAt()
      .setExpirationTime(`${LIFETIME_SECONDS} s`)
      .sign(privateKey);
    return { access_token: token, token_type: 'Bearer', expires_in: LIFETIME_SECONDS, scope };
  }

  return {
    tokens: { issuer, audience: AUDIENCE },
    async stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** The value of `name=value` is JSON, or else text. */
function readClaims(form: URLSearchParams): Claims {
  const claims = form.getAll('claim').map((claim) => {
    const [name = '', ...parts] = claim.split('=');
    return [name, parseValue(parts.join('='))];
  });
  return Object.fromEntries(claims);
}

function parseValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export type Authorization = { authorizer?: { jwt: { claims: Record<string, string>; scopes: string[] } } };
export type Rejection = { status: 401 | 403 | 503; message: string; headers: Record<string, string> };

/** Returns the part of the Lambda event that describes the caller. */
export type Authorize = (
  headers: Record<string, string | undefined>,
  right: Operation['right'],
) => Promise<Authorization | Rejection>;

export const allowAll: Authorize = async () => ({});

export function createAuthorizer(settings: TokenSettings): Authorize {
  const verifier = new TokenVerifier(settings);
  const { scopes: names } = environment;
  return async ({ authorization }, right) => {
    const scope = names[right];
    const token = await verifier.verify(authorization).catch((error: Error) => {
      console.error(`Tokens cannot be verified: ${error.message}`);
    });
    if (!token) return { status: 503, message: 'Service Unavailable', headers: { 'retry-after': '1' } };
    if (token.kind === 'rejected')
      return { status: 401, message: 'Unauthorized', headers: { 'www-authenticate': token.challenge } };
    const { claims } = token;
    const scopes = readScopes(claims);
    if (scopes.has(scope)) return { authorizer: { jwt: { claims: stringifyClaims(claims), scopes: [...scopes] } } };
    return { status: 403, message: 'Forbidden', headers: { 'www-authenticate': insufficientScope(scope) } };
  };
}

/** API Gateway passes claims as strings. A list becomes `[one two]`. */
function stringifyClaims(claims: Claims): Record<string, string> {
  const stringify = (claim: unknown): string => {
    if (Array.isArray(claim)) return `[${claim.map(stringify).join(' ')}]`;
    return typeof claim === 'string' ? claim : JSON.stringify(claim);
  };
  return Object.fromEntries(Object.entries(claims).map(([name, claim]) => [name, stringify(claim)]));
}
