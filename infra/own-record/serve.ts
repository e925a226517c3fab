import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { build } from 'esbuild';
import { SYSTEM } from '../../lib/auth/caller.ts';
import { readOptions } from '../local/options.ts';
import { provideOwnFields } from '../own-fields/provide.ts';
import { requestToken } from '../scripts/local-token.ts';

const FOLDER = import.meta.dirname;

/** Identifies the company in tokens. */
const COMPANY = 'acme';

/** Starts the service and a page on which people use their own record. `npm run example:me` uses port 3010. */
export async function startExample(port: number) {
  // Functions read their settings on import.
  process.env.GROUPS = 'on';
  process.env.GROUP_CLAIM = 'org_id';
  provideOwnFields(join(FOLDER, 'fields.json'));
  process.env.SELF_DELETE = 'delete';
  process.env.SELF_LINK = 'verified-email';
  const { startService } = await import('../local/service.ts');
  const service = await startService(
    readOptions(['--auth', '--memory', '--port', port === 0 ? '0' : String(port + 1)], {}),
  );
  await createCompany();
  const { outputFiles } = await build({
    entryPoints: [join(FOLDER, '../../lib/client/client.ts')],
    bundle: true,
    format: 'esm',
    write: false,
  });
  const client = outputFiles[0]?.text ?? '';
  const page = readFileSync(join(FOLDER, 'index.html'), 'utf8').replace(
    "document.baseURI.replace(/\\/$/, '')",
    JSON.stringify(service.url),
  );

  async function answer(request: IncomingMessage): Promise<[type: string, body: string] | undefined> {
    switch (`${request.method} ${request.url}`) {
      case 'GET /':
        return ['text/html', page];
      case 'GET /client.js':
        return ['text/javascript', client];
      case 'POST /sign-in': {
        const email = await text(request);
        const person = { issuer: service.tokenIssuer ?? '', sub: email };
        // Like Cognito's cheaper plans: only the ID token has the address.
        const claim = [`email=${JSON.stringify(email)}`, 'email_verified=true'];
        const scope = ['users:self', 'users:group'];
        const token = await requestToken({ ...person, scope, claim: [`org_id=${COMPANY}`] });
        const idToken = await requestToken({ ...person, scope: ['openid'], claim });
        return ['application/json', JSON.stringify({ token, idToken })];
      }
      default:
        return undefined;
    }
  }

  const server = createServer(async (request, response) => {
    const [type, body] = (await answer(request)) ?? [];
    response
      .writeHead(body === undefined ? 404 : 200, { 'content-type': `${type ?? 'text/plain'}; charset=utf-8` })
      .end(body);
  }).listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    service,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.close();
      server.closeAllConnections();
      await service.stop();
    },
  };
}

/** Creates a company, and its administrator, who waits for the first sign-in. */
async function createCompany(): Promise<void> {
  const [{ createGroup }, { createUser }] = await Promise.all([
    import('../../lib/features/groups/write.ts'),
    import('../../lib/users/write.ts'),
  ]);
  const { id } = await createGroup({ name: 'Acme', externalId: COMPANY }, SYSTEM);
  const administrator = { name: 'Grace', email: 'admin@acme.example', groups: [{ id, role: 'admin' }] };
  await createUser(administrator, SYSTEM);
}
