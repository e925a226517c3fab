import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ConsoleSettings } from './console/settings.ts';
import { build } from './local/pages/build.ts';
import { consolePage } from './local/pages/console.ts';
import type { Settings } from './settings.ts';

/** Writes what the console's bucket holds: the build that the local service serves, with settings for the deployment. */
export async function writeConsoleFiles(folder: string, settings: Settings): Promise<void> {
  const write = async (path: string, content: string | Uint8Array) => {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  };
  for (const [name, contents] of await build('console')) await write(`pages/console/${name}`, contents);
  await write('index.html', consolePage.body);
  await write('console.json', JSON.stringify(createDeployedSettings(settings)));
}

export function createDeployedSettings({ auth, issuer, audience, consoleClientId }: Settings): ConsoleSettings {
  if (auth !== 'jwt' || !issuer || !audience) return { links: [], auth: { kind: 'none' } };
  const clientId = consoleClientId ?? audience;
  return {
    links: [],
    auth: { kind: 'sign-in', issuer, clientId, audience, scope: 'openid users:read users:write' },
  };
}
