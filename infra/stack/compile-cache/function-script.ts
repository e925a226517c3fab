/** A script that returns a promise of the exports of a bundle: V8 makes code caches of scripts, but Node gives no access to those of modules. */
const START = '(async()=>{"use strict";';

/** Turns the code of a bundle into such a script. The positions in it change only in the first line, by OFFSET. */
export function toScript(bundle: string): string {
  const exported = /export\{([\w$]+) as handler\};?\s*$/.exec(bundle);
  if (!exported || /\bimport\.meta\b|\bimport\(/.test(bundle))
    throw new Error('Not a bundle of infra/stack/bundling.ts');
  return `${START}${bundle.slice(0, exported.index)}return{handler:${exported[1]}}})`;
}

export const OFFSET = -START.length;

/**
 * The module that Lambda imports. It compiles the script with its cache, which V8 rejects if it was made by another version
 * or with other flags. V8's own checksum is disabled in Node, and accepting a corrupt cache would be a crash.
 */
export const createLoader = (name: string, cacheHash: string): string => `
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
