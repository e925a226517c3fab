import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import * as z from 'zod/mini';
import { environment } from '../../lib/environment.ts';
import { findSwallowedOptions } from '../local/npm.ts';
import { provideSettings } from '../local/settings.ts';

const USAGE = `npm run -s token -- [--scope users:write] [--group editors] [--sub developer] [--claim email=ada@example.org] [--issuer http://127.0.0.1:3001]
Prints a token of the issuer that npm run start:auth runs. The value of a claim is JSON, such as email_verified=true, or a text.
curl -H "authorization: Bearer $(npm run -s token)" …`;

const options = {
  scope: { type: 'string', multiple: true },
  group: { type: 'string', multiple: true },
  sub: { type: 'string', default: 'developer' },
  claim: { type: 'string', multiple: true },
  issuer: { type: 'string', default: 'http://127.0.0.1:3001' },
  help: { type: 'boolean', default: false },
} as const satisfies ParseArgsOptionsConfig;

const tokenResponse = z.object({ access_token: z.string() });

try {
  const swallowed = findSwallowedOptions(options, process.argv.slice(2), process.env);
  if (swallowed) throw new Error(swallowed);
  const { values } = parseArgs({ options });
  console.log(values.help ? USAGE : await requestToken(values));
} catch (error) {
  console.error(`No token: ${(error as Error).message}`);
  process.exitCode = 1;
}

type Request = { issuer: string; scope?: string[]; group?: string[]; sub: string; claim?: string[] };

/** By default the token allows all operators' rights under the settings of cdk.json. */
async function requestToken({ issuer, sub, claim = [], ...given }: Request): Promise<string> {
  provideSettings({ auth: true });
  const { groups } = environment;
  const { self: _, ...scopes } = environment.scopes;
  const { scope = [...new Set(Object.values(scopes))], group = [groups.write ?? groups.read ?? []].flat() } = given;
  const body = new URLSearchParams({ grant_type: 'client_credentials', scope: scope.join(' '), sub });
  for (const name of group) body.append('group', name);
  for (const each of claim) body.append('claim', each);
  const response = await fetch(`${issuer}/token`, { method: 'POST', body }).catch(() => undefined);
  if (!response?.ok)
    throw new Error(`No issuer responds at ${issuer}; npm run start:auth runs one, and prints its address`);
  return tokenResponse.parse(await response.json()).access_token;
}
