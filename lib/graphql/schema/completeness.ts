import type { Resolvers, ResolversParentTypes } from './resolver-types.ts';
import type { Parts } from './schema.ts';

type TypeName = Exclude<keyof Resolvers, 'DateTime'>;
type Fields<Type extends TypeName> = NonNullable<Resolvers[Type]>;

/** Query, Mutation and Subscription hold none: the generated type of their parent is an index signature. */
type HeldByParent<Parent> = string extends keyof Parent ? never : keyof Parent;
type Missing<Type extends TypeName> = Exclude<keyof Fields<Type>, HeldByParent<ResolversParentTypes[Type]>>;

type Intersect<Union> = (Union extends unknown ? (each: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;
type AllResolvers = Intersect<Parts[number]['resolvers']>;

type Resolved<Type extends TypeName> = Type extends keyof AllResolvers ? keyof AllResolvers[Type] : never;
type Unresolved = {
  [Type in TypeName]: `${Type}.${Exclude<Missing<Type>, Resolved<Type>> & string}`;
}[TypeName];

/** Fails to compile, naming the fields that neither their parent holds nor a part resolves. */
type RequireAll<None extends Record<Unresolved, true>> = None;
export type AllAreResolved = RequireAll<Record<never, true>>;
