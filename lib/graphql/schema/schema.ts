import { buildASTSchema, concatAST, type GraphQLSchema, isObjectType, isScalarType, OperationTypeNode } from 'graphql';
import { type Extension, extensions } from './extensions.ts';
import { usersAndPosts } from './resolvers.ts';
import type { RootResolver } from './root-fields.ts';

// completeness.ts checks at compile time that these parts have resolvers of all fields.
const parts = [usersAndPosts, ...extensions] as const satisfies readonly Extension[];
export type Parts = typeof parts;

export const definitions = concatAST(parts.map((part) => part.definitions));

/**
 * A cold start with graphql-tools would take twice as long. A test validates the schema, so that cold starts need not.
 */
export const schema = buildASTSchema(definitions, { assumeValid: true, assumeValidSDL: true });

for (const { resolvers } of parts) addResolvers(schema, resolvers);

checkRights(schema);

/** Throws if a root field has no rights. The compiler does not check fields that depend on declarations. */
export function checkRights(schema: GraphQLSchema): void {
  for (const operation of Object.values(OperationTypeNode))
    for (const { name, resolve, subscribe } of Object.values(schema.getRootType(operation)?.getFields() ?? {})) {
      // The cast is safe: graphql-js keeps the functions and their properties.
      const resolver = (operation === 'subscription' ? subscribe : resolve) as Partial<RootResolver> | undefined;
      if (!resolver?.rights) throw new Error(`The ${operation} ${name} has no rights: use withRights`);
    }
}

type FieldResolvers = Record<string, CallableFunction | { subscribe?: CallableFunction; resolve?: CallableFunction }>;

export function addResolvers(schema: GraphQLSchema, resolvers: object): void {
  for (const [name, resolver] of Object.entries(resolvers)) {
    const type = schema.getType(name);
    if (isScalarType(type)) Object.assign(type, { ...resolver, astNode: type.astNode, description: type.description });
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
