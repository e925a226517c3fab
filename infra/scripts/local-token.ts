import * as z from 'zod/mini';
import { environment } from '../../lib/environment.ts';
import { DEFAULT_WRITE_GROUP, provideSettings } from '../local/settings.ts';

const tokenResponse = z.object({ access_token: z.string() });

type TokenRequest = { issuer: string; scope?: string[]; group?: string[]; sub: string; claim?: string[] };

export async function requestToken({ issuer, sub, claim = [], ...given }: TokenRequest): Promise<string> {
  provideSettings({ auth: true });
  const { groups } = environment;
  const { self: _, ...scopes } = environment.scopes;
  const { scope = [...new Set(Object.values(scopes))], group = [groups.write ?? groups.read ?? DEFAULT_WRITE_GROUP] } =
    given;
  const body = new URLSearchParams({ grant_type: 'client_credentials', scope: scope.join(' '), sub });
  for (const name of group) body.append('group', name);
  for (const each of claim) body.append('claim', each);
  const response = await fetch(`${issuer}/token`, { method: 'POST', body }).catch(() => undefined);
  if (!response?.ok)
    throw new Error(`No issuer responds at ${issuer}. Start one with npm run start:auth, which prints its address`);
  return tokenResponse.parse(await response.json()).access_token;
}
