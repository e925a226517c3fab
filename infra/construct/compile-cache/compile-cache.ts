import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findFieldVariables } from '../../own-fields/bundled-file.ts';
import type { Settings } from '../../settings.ts';

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
  await run(node, [...LAMBDA_FLAGS, maker, name, folder], { env: { ...ENVIRONMENT, ...findFieldVariables(folder) } });
  const hash = createHash('sha256')
    .update(await readFile(join(folder, `${name}.cache`)))
    .digest('hex');
  await writeFile(bundle, createLoader(name, hash));
}

/** A function's code becomes a script that returns a promise of the exports of its bundle: V8 makes code caches of scripts, but Node gives no access to those of modules. */
const START = '(async()=>{"use strict";';

/** Turns the code of a bundle into such a script. The positions in it change only in the first line, by OFFSET. */
export function toScript(bundle: string): string {
  const exported = /export\{(?:[^}]*,)?([\w$]+) as handler\b[^}]*\};?\s*$/.exec(bundle);
  if (!exported || /\bimport\.meta\b|\bimport\(/.test(bundle))
    throw new Error('Not a bundle of infra/construct/bundling/bundle.ts');
  return `${START}${bundle.slice(0, exported.index)}return{handler:${exported[1]}}})`;
}

const OFFSET = -START.length;

/**
 * The module that Lambda imports. It compiles the script with its cache, which V8 rejects if it was made by another version
 * or with other flags. V8's own checksum is disabled in Node, and accepting a corrupt cache would be a crash.
 */
const createLoader = (name: string, cacheHash: string): string => `
const { readFileSync } = process.getBuiltinModule('node:fs');
const { hash } = process.getBuiltinModule('node:crypto');
const { Script } = process.getBuiltinModule('node:vm');

const file = (extension) => import.meta.dirname + '/${name}.' + extension;

function readCache() {
  try {
    const cache = readFileSync(file('cache'));
    return hash('sha256', cache) === '${cacheHash}' ? cache : undefined;
  } catch {
    return undefined;
  }
}

const script = new Script(readFileSync(file('code.js'), 'latin1'), {
  filename: import.meta.url,
  columnOffset: ${OFFSET},
  cachedData: readCache(),
});
if (script.cachedDataRejected !== false)
  console.warn({ event: 'compile-cache-rejected', node: process.version, architecture: process.arch, flags: process.execArgv });

export const { handler } = await script.runInThisContext()();
`;
