import type { GraphQLResolveInfo } from 'graphql';
import type { Right } from '../../auth/caller.ts';
import { requireRights } from '../authenticate.ts';
import type { GraphqlContext } from '../context.ts';
import { loadOnFirstUse } from './load-on-first-use.ts';

/** A right may depend on the arguments. */
export type FieldRights<Args = never> = readonly Right[] | ((args: Args) => readonly Right[]);

// `never` accepts each resolver with its own arguments.
type Resolver = (parent: never, args: never, context: never, info: never) => unknown;

/** Resolves or subscribes to a field of Query, Mutation or Subscription, after checking its rights. */
export type RootResolver = Resolver & Checked;

type Checked = { readonly rights: FieldRights };

/** Adds the check of the rights to a resolver. */
export function withRights<Resolve extends Resolver>(
  rights: FieldRights<Parameters<Resolve>[1]>,
  resolve: Resolve,
): Resolve & Checked {
  const run = (parent: never, args: never, context: GraphqlContext, info: GraphQLResolveInfo) => {
    requireRights(context.access, typeof rights === 'function' ? rights(args) : rights);
    return resolve(parent, args, context as never, info as never);
  };
  // The cast is safe: `run` takes and returns what `resolve` does.
  return Object.assign(run as unknown as Resolve, { rights });
}

/** Loads resolvers of root fields on first use: the rights of each, by name. */
export function loadWithRights<Module extends Record<Name, Resolver>, Name extends keyof Module & string>(
  load: () => Promise<Module>,
  rights: { [Each in Name]: FieldRights<Parameters<Module[Each]>[1]> },
): { [Each in Name]: Module[Each] & Checked } {
  const names = Object.keys(rights) as Name[];
  const resolvers = loadOnFirstUse(load, ...names);
  // The cast is safe: each name has a resolver.
  return Object.fromEntries(names.map((name) => [name, withRights(rights[name], resolvers[name])])) as {
    [Each in Name]: Module[Each] & Checked;
  };
}
