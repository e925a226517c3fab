import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

/** A piece of a source file that stands in it exactly once, and what is loaded instead. */
export type Patch = { file: string; find: string; replace: string };

const ROOT = new URL('../../../', import.meta.url);

/** What the simulation changes of the service: all of its environments share one process, and its histories are short. */
export const SIMULATION_PATCHES: Patch[] = [
  // The package keeps the last time of a process, which would hide that clocks of environments differ.
  {
    file: 'node_modules/uuid/dist-node/v7.js',
    find: 'updateV7State(_state, now, rnds);',
    replace: '_state.msecs = undefined; updateV7State(_state, now, rnds);',
  },
  {
    file: 'lib/users/page-index/blocks.ts',
    find: '{ users: 40, blocks: 64 }',
    replace: '{ users: 2, blocks: 2 }',
  },
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
