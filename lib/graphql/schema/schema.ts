import { buildASTSchema, concatAST, type GraphQLSchema, isObjectType, isScalarType } from 'graphql';
import { extensions } from './extensions.ts';
import type { Resolvers, ResolversParentTypes } from './resolver-types.ts';
import { usersAndPosts } from './resolvers.ts';
import { checkRights, type RootRights } from './rights.ts';

const parts = [usersAndPosts, ...extensions] as const;

export const definitions = concatAST(parts.map((part) => part.definitions));

/** graphql-js makes the schema, as graphql-tools takes twice the time. A test validates it, so that no cold start has to. */
export const schema = buildASTSchema(definitions, { assumeValid: true, assumeValidSDL: true });

for (const { resolvers } of parts) addResolvers(schema, resolvers);

checkRights(
  schema,
  parts.map(({ rights }) => rights),
);

type FieldResolvers = Record<string, CallableFunction | { subscribe?: CallableFunction; resolve?: CallableFunction }>;

/** Throws for resolvers of types and fields that the schema does not have. */
export function addResolvers(schema: GraphQLSchema, resolvers: object): void {
  for (const [name, resolver] of Object.entries(resolvers)) {
    const type = schema.getType(name);
    if (isScalarType(type)) Object.assign(type, { ...resolver, astNode: type.astNode });
    else if (isObjectType(type)) addFieldResolvers(type.getFields(), resolver);
    else throw new Error(`The schema has no type ${name} that can have resolvers`);
  }
}

function addFieldResolvers(fields: Record<string, object>, resolvers: FieldResolvers): void {
  for (const [name, resolver] of Object.entries(resolvers)) {
    const field = fields[name];
    if (!field) throw new Error(`The schema has no field ${name} for its resolver`);
    Object.assign(field, typeof resolver === 'function' ? { resolve: resolver } : resolver);
  }
}

type TypeName = Exclude<keyof Resolvers, 'DateTime'>;
type Fields<Type extends TypeName> = NonNullable<Resolvers[Type]>;

/** Operation types have no parent, which the generated types express by an index signature. */
type HeldByParent<Parent> = string extends keyof Parent ? never : keyof Parent;
type Missing<Type extends TypeName> = Exclude<keyof Fields<Type>, HeldByParent<ResolversParentTypes[Type]>>;

/** All of several types at once. */
type Intersect<Union> = (Union extends unknown ? (each: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;
type AllResolvers = Intersect<(typeof parts)[number]['resolvers']>;

type Resolved<Type extends TypeName> = Type extends keyof AllResolvers ? keyof AllResolvers[Type] : never;
type Unresolved = {
  [Type in TypeName]: `${Type}.${Exclude<Missing<Type>, Resolved<Type>> & string}`;
}[TypeName];

/** The compiler requires a resolver of every field that its parent does not hold, in one of the parts: it names those without. */
type RequireAll<None extends Record<Unresolved, true>> = None;
export type AllAreResolved = RequireAll<Record<never, true>>;

type AllRights = Intersect<(typeof parts)[number]['rights']>;
type Allowed<Type extends keyof RootRights> = Type extends keyof AllRights ? keyof AllRights[Type] : never;
type WithoutRights = {
  [Type in keyof RootRights]-?: `${Type}.${Exclude<keyof Fields<Type>, Allowed<Type>> & string}`;
}[keyof RootRights];

/** The compiler requires the rights of every root field, in one of the parts: it names those without. */
type RequireRights<None extends Record<WithoutRights, true>> = None;
export type AllHaveRights = RequireRights<Record<never, true>>;
