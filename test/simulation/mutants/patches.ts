import { readFileSync, realpathSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** `find` must occur exactly once. */
export type Patch = { file: string; find: string | RegExp; replace: string };

/** Patches by description of the bug. */
export type Mutants = Record<string, Patch>;

/** A patch that is always applied: uuid keeps the last time of the process, which hides clock differences. */
const UUID_PATCH: Patch = {
  file: 'node_modules/uuid/dist-node/v7.js',
  find: 'updateV7State(_state, now, rnds);',
  replace: '_state.msecs = undefined; updateV7State(_state, now, rnds);',
};

const ROOT = new URL('../../../', import.meta.url);

/** Throws if a patch does not match its file. */
export function patchSources(patches: Patch[]): void {
  const sources = new Map<string, string>();
  for (const { file, find, replace } of [UUID_PATCH, ...patches]) {
    // Patch the target of a symbolic link, which Node.js loads.
    const path = realpathSync(fileURLToPath(new URL(file, ROOT)));
    const { href } = pathToFileURL(path);
    const source = sources.get(href) ?? readFileSync(path, 'utf8');
    const parts = source.split(find);
    if (parts.length !== 2) throw new Error(`${file} has ${parts.length - 1} times, not once: ${find}`);
    sources.set(href, parts.join(replace));
  }
  registerHooks({
    load(url, context, nextLoad) {
      const source = sources.get(url.replace(/\?(restored|reordered)$/, ''));
      return source === undefined ? nextLoad(url, context) : { ...nextLoad(url, context), source };
    },
  });
}
