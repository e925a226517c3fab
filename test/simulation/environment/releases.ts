import { registerHooks } from 'node:module';
import type { Release } from '../workload/own-fields.ts';

const ROOT = new URL('../../../', import.meta.url);
const isOwn = (url: string) => url.startsWith(`${ROOT}lib/`) || url.startsWith(`${ROOT}functions/`);

/** `restored`: the current release on a restored table. */
export type Deployment = Release | 'restored';

/** Queries of module URLs. Node.js loads a separate copy of a module and its imports for each query. */
const QUERIES: Record<Deployment, string> = {
  current: '',
  previous: '?previous',
  reordered: '?reordered',
  restored: '?restored',
};

registerHooks({
  resolve(specifier, context, nextResolve) {
    const resolved = nextResolve(specifier, context);
    const query = Object.values(QUERIES).find((each) => each && context.parentURL?.endsWith(each));
    return query && isOwn(resolved.url) ? { ...resolved, url: `${resolved.url}${query}` } : resolved;
  },
});

/** Imports the deployment's copy of a module. Mutants do not change the previous release. */
export const importFrom = (deployment: Deployment, path: string) => import(`${ROOT}${path}${QUERIES[deployment]}`);
