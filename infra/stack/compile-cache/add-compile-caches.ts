import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Settings } from '../../settings.ts';
import { createLoader, toScript } from './function-script.ts';

const run = promisify(execFile);

/** The flag of Lambda's runtime on which V8's caches depend; they do not depend on those for memory. */
const LAMBDA_FLAGS = ['--expose-gc'];
const LAMBDA_NODE_MAJOR = '24';
const NODE_ARCHITECTURES = { arm64: 'arm64', x86_64: 'x64' };

/** Nothing in it leads to AWS. */
const ENVIRONMENT = {
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'none',
  AWS_SECRET_ACCESS_KEY: 'none',
  AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
};

/**
 * Adds V8 compile caches to bundles, made by the Node.js at the path `node`. Returns why it has not, if that is not like
 * the one of the functions.
 */
export async function addCompileCaches(
  names: readonly string[],
  folder: string,
  { node, architecture }: { node: string } & Pick<Settings, 'architecture'>,
): Promise<string | undefined> {
  const printed = await run(node, ['-p', 'process.versions.node + " " + process.arch']).catch(() => undefined);
  if (!printed) return `${node} cannot be run`;
  const [version = '', processor] = printed.stdout.trim().split(' ');
  if (version.split('.')[0] !== LAMBDA_NODE_MAJOR || processor !== NODE_ARCHITECTURES[architecture])
    return `${node} is Node.js ${version} for ${processor}, but the functions run on ${LAMBDA_NODE_MAJOR} for ${architecture}`;
  for (const name of names) await addCompileCache(name, join(folder, name), node);
  return undefined;
}

async function addCompileCache(name: string, folder: string, node: string): Promise<void> {
  const bundle = join(folder, `${name}.mjs`);
  await writeFile(join(folder, `${name}.code.js`), toScript(await readFile(bundle, 'latin1')), 'latin1');
  const maker = join(import.meta.dirname, 'make-cache.ts');
  await run(node, [...LAMBDA_FLAGS, maker, name, folder], { env: ENVIRONMENT });
  const hash = createHash('sha256')
    .update(await readFile(join(folder, `${name}.cache`)))
    .digest('hex');
  await writeFile(bundle, createLoader(name, hash));
}
