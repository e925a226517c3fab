import { registerHooks } from 'node:module';
import type { Release } from '../workload/own-fields.ts';

const ROOT = new URL('../../../', import.meta.url);
const isOwn = (url: string) => url.startsWith(`${ROOT}lib/`) || url.startsWith(`${ROOT}functions/`);

/** A module with this query is loaded once more, and so are those of this repository that it imports. */
const PREVIOUS = '?previous';

registerHooks({
  resolve(specifier, context, nextResolve) {
    const resolved = nextResolve(specifier, context);
    return context.parentURL?.endsWith(PREVIOUS) && isOwn(resolved.url)
      ? { ...resolved, url: `${resolved.url}${PREVIOUS}` }
      : resolved;
  },
});

/** Imports a module of a release. Both have the same source, apart from mutants, which are in the current one only. */
export const importFrom = (release: Release, path: string) =>
  import(`${ROOT}${path}${release === 'previous' ? PREVIOUS : ''}`);
