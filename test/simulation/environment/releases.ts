import { registerHooks } from 'node:module';
import type { Release } from '../workload/own-fields.ts';

const ROOT = new URL('../../../', import.meta.url);
const isOwn = (url: string) => url.startsWith(`${ROOT}lib/`) || url.startsWith(`${ROOT}functions/`);

/** The code of a release, or the current release as it runs after the stack was switched to a restored table. */
export type Deployment = Release | 'restored';

/** A module with one of these queries is loaded once more, and so are those of this repository that it imports. */
const QUERIES: Record<Deployment, string> = { current: '', previous: '?previous', restored: '?restored' };

registerHooks({
  resolve(specifier, context, nextResolve) {
    const resolved = nextResolve(specifier, context);
    const query = Object.values(QUERIES).find((each) => each && context.parentURL?.endsWith(each));
    return query && isOwn(resolved.url) ? { ...resolved, url: `${resolved.url}${query}` } : resolved;
  },
});

/** Imports a module of a deployment. All have the same source, apart from mutants, which the previous release does not have. */
export const importFrom = (deployment: Deployment, path: string) => import(`${ROOT}${path}${QUERIES[deployment]}`);
