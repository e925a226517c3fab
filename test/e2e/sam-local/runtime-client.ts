import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run, WORK_DIR } from '../run.ts';

/** The runtime client of Lambda's Node.js images. */
const PACKAGE = 'aws-lambda-ric@4.0.2';
const SHA512 = 'FE5Vskx7mYNnqAnWWJXUOsLp2VGgdsJsCoRLFTa8L4Yk0QVtArqR8q58yPA++QC1a73ZWJXBQ2AH31nIAv7NOQ==';

/**
 * Not in package.json, because npm would compile the native part for a minute. images/lambda/native-client.cjs replaces
 * it.
 */
export async function installRuntimeClient(): Promise<string> {
  const folder = join(WORK_DIR, PACKAGE);
  const main = join(folder, 'package/index.mjs');
  if (existsSync(main)) return main;
  await mkdir(folder, { recursive: true });
  const [{ filename }] = JSON.parse(await run('npm', ['pack', PACKAGE, '--json', '--pack-destination', folder]));
  const archive = join(folder, filename);
  const hash = createHash('sha512')
    .update(await readFile(archive))
    .digest('base64');
  if (hash !== SHA512) throw new Error(`${PACKAGE} has another hash than expected: ${hash}`);
  await run('tar', ['-xzf', archive, '-C', folder]);
  return main;
}
