import { buildSchema, type GraphQLSchema, isObjectType, isScalarType } from 'graphql';
import { describeOwnFields, ownFieldResolvers } from '../../features/own-fields/graphql-types.ts';
import { resolvers } from './resolvers.ts';
import typeDefs from './type-defs.ts';

/** graphql-js makes the schema, as graphql-tools takes twice the time. A test validates it, so that no cold start has to. */
export const schema = buildSchema(`${typeDefs}${describeOwnFields()}`, {
  assumeValid: true,
  assumeValidSDL: true,
  noLocation: true,
});

addResolvers(schema, resolvers);
addResolvers(schema, ownFieldResolvers);

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
