import { readFileSync, realpathSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { changeLogMutants, eventMutants } from './changes.ts';
import { filterMutants, jobMutants, pageIndexMutants, searchMutants } from './lists.ts';
import { repairMutants } from './repairs.ts';
import { contentionMutants, erasureMutants, ownFieldMutants, returnMutants, userMutants } from './users.ts';
import { actorMutants, postMutants, writeMutants } from './writes.ts';

/** `find` stands in its file exactly once, and `replace` is loaded instead. */
export type Patch = { file: string; find: string | RegExp; replace: string };

/** Each breaks one mechanism of the service on purpose. */
export type Mutants = Record<string, Patch>;

const mutants: Mutants = {
  ...searchMutants,
  ...filterMutants,
  ...userMutants,
  ...ownFieldMutants,
  ...writeMutants,
  ...actorMutants,
  ...postMutants,
  ...changeLogMutants,
  ...eventMutants,
  ...contentionMutants,
  ...erasureMutants,
  ...returnMutants,
  ...repairMutants,
  ...pageIndexMutants,
  ...jobMutants,
};

export const mutantNames = Object.keys(mutants);

export function findMutant(name: string): Patch {
  const mutant = mutants[name];
  if (!mutant) throw new Error(`No mutant is called ${name}. There are: ${mutantNames.join(', ')}`);
  return mutant;
}

/** The package keeps the last time of a process, which would hide that clocks of environments differ. */
const UUID_PATCH: Patch = {
  file: 'node_modules/uuid/dist-node/v7.js',
  find: 'updateV7State(_state, now, rnds);',
  replace: '_state.msecs = undefined; updateV7State(_state, now, rnds);',
};

const ROOT = new URL('../../../', import.meta.url);

/** Modules that are loaded from now on come with these patches. Throws where a patch does not fit its file. */
export function patchSources(patches: Patch[]): void {
  const sources = new Map<string, string>();
  for (const { file, find, replace } of [UUID_PATCH, ...patches]) {
    // Modules are loaded from where symbolic links lead to.
    const path = realpathSync(fileURLToPath(new URL(file, ROOT)));
    const { href } = pathToFileURL(path);
    const source = sources.get(href) ?? readFileSync(path, 'utf8');
    const parts = source.split(find);
    if (parts.length !== 2) throw new Error(`${file} has ${parts.length - 1} times, not once: ${find}`);
    sources.set(href, parts.join(replace));
  }
  registerHooks({
    load(url, context, nextLoad) {
      const source = sources.get(url.replace(/\?restored$/, ''));
      return source === undefined ? nextLoad(url, context) : { ...nextLoad(url, context), source };
    },
  });
}
