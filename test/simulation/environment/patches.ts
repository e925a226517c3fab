import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

/** A piece of a source file that stands in it exactly once, and what is loaded instead. */
export type Patch = { file: string; find: string; replace: string };

const ROOT = new URL('../../../', import.meta.url);

/** What modules remember belongs to one environment, and is forgotten before each history. */
const forgets: (() => void)[] = [];
export const forgetAll = () => {
  for (const forget of forgets) forget();
};
const FORGETS = 'simulationForgets';
Object.assign(globalThis, { [FORGETS]: forgets });

/** What the simulation changes of the service: all its environments share one process, and its histories are short. */
export const SIMULATION_PATCHES: Patch[] = [
  // The package keeps the last time of a process, which would hide that clocks of environments differ.
  {
    file: 'node_modules/uuid/dist-node/v7.js',
    find: 'updateV7State(_state, now, rnds);',
    replace: '_state.msecs = undefined; updateV7State(_state, now, rnds);',
  },
  {
    file: 'lib/change-log/append.ts',
    find: 'let lastNumber = 0;',
    replace: `let lastNumber = 0; globalThis.${FORGETS}.push(() => { lastNumber = 0; });`,
  },
  { file: 'lib/change-log/append.ts', find: 'MAX_CHANGES_PER_ENTRY = 50', replace: 'MAX_CHANGES_PER_ENTRY = 2' },
  { file: 'lib/change-log/consume.ts', find: 'BATCH_TIME_LIMIT_MS = 40_000', replace: 'BATCH_TIME_LIMIT_MS = 2_000' },
  { file: 'lib/posts/purge.ts', find: 'MAX_POSTS_PER_PART = 100', replace: 'MAX_POSTS_PER_PART = 2' },
  { file: 'lib/users/page-index/blocks.ts', find: '{ users: 40, blocks: 40 }', replace: '{ users: 2, blocks: 2 }' },
];

/** Modules that are loaded from now on come with these patches. Throws where a patch does not fit its file. */
export function patchSources(patches: Patch[]): void {
  const sources = new Map<string, string>();
  for (const { file, find, replace } of patches) {
    const { href } = new URL(file, ROOT);
    const source = sources.get(href) ?? readFileSync(fileURLToPath(href), 'utf8');
    const parts = source.split(find);
    if (parts.length !== 2) throw new Error(`${file} has ${parts.length - 1} times, not once: ${find}`);
    sources.set(href, parts.join(replace));
  }
  registerHooks({
    load(url, context, nextLoad) {
      const source = sources.get(url);
      return source === undefined ? nextLoad(url, context) : { ...nextLoad(url, context), source };
    },
  });
}
