import * as z from 'zod/mini';
import { environment } from '../../lib/environment.ts';
import { DEFAULT_WRITE_GROUP, provideSettings } from '../local/settings.ts';

const tokenResponse = z.object({ access_token: z.string() });

type TokenRequest = { issuer: string; scope: string[]; group: string[]; sub?: string; claim?: string[] };

export async function requestToken(given: Pick<TokenRequest, 'issuer'> & Partial<TokenRequest>): Promise<string> {
  provideSettings({ auth: true });
  const { groups } = environment;
  const { self: _, ...scopes } = environment.scopes;
  const { scope = [...new Set(Object.values(scopes))], group = [groups.write ?? groups.read ?? DEFAULT_WRITE_GROUP] } =
    given;
  return tokenResponse.parse(await sendRequest({ ...given, scope, group })).access_token;
}

/** The token may read users and their histories. `canWrite` also allows writing. */
export function requestConsoleToken(issuer: string, canWrite: boolean): Promise<unknown> {
  const { read, list, history, write } = environment.scopes;
  const { groups } = environment;
  const group = canWrite ? groups.write : groups.read;
  const scope = new Set([read, list, history, ...(canWrite ? [write] : [])]);
  return sendRequest({ issuer, scope: [...scope], group: group ? [group] : [] });
}

async function sendRequest({ issuer, scope, group, sub = 'developer', claim = [] }: TokenRequest): Promise<unknown> {
  const body = new URLSearchParams({ grant_type: 'client_credentials', scope: scope.join(' '), sub });
  // The issuer of `npm run dev` has no settings, because it keeps running when they change.
  if (group.length > 0) body.append('claim', `${environment.groups.claim}=${JSON.stringify(group)}`);
  for (const each of claim) body.append('claim', each);
  const response = await fetch(`${issuer}/token`, { method: 'POST', body }).catch(() => undefined);
  if (!response?.ok)
    throw new Error(`No issuer responds at ${issuer}. Start one with npm run start:auth, which prints its address`);
  return response.json();
}
